import type {PageLanguage} from '../../index.ts';
import {zhHant} from '../generated/zh-hant.ts';
import {de} from './de.ts';
import {en, type Texts} from './en.ts';
import {es} from './es.ts';
import {fr} from './fr.ts';
import {zhHans} from './zh-hans.ts';

const texts: Readonly<Record<PageLanguage, Texts>> = {en, 'zh-Hans': zhHans, 'zh-Hant': zhHant, es, fr, de};

export function textsOf(language: PageLanguage): Texts {
  return texts[language];
}
