import type {PageLanguage} from '../../index.ts';
import {de} from './de.ts';
import {en} from './en.ts';
import {es} from './es.ts';
import {fr} from './fr.ts';
import {zhHans} from './zh-hans.ts';
import {zhHant} from './zh-hant.ts';

/** The texts of the dashboard in one language. */
export type Texts = typeof en;

const texts: Readonly<Record<PageLanguage, Texts>> = {en, 'zh-Hans': zhHans, 'zh-Hant': zhHant, es, fr, de};

export function textsOf(language: PageLanguage): Texts {
  return texts[language];
}
