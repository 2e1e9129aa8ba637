import js from '@eslint/js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {ignores: ['dist', 'coverage', 'reports', 'examples/*/data', 'test/long/types']},
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {parserOptions: {projectService: true, tsconfigRootDir: import.meta.dirname}},
    rules: {
      // An interface and a type alias of an object both read well; consistency here buys nothing.
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/array-type': ['error', {default: 'array-simple'}],
      // A driver answers promises because its port does, also where its engine is synchronous.
      '@typescript-eslint/require-await': 'off',
      // They take a quarter of the time of all rules. There is no enum, and private fields tell a class from an object that
      // only looks like it.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // On Node.js 20 it comes to refuse URLs with Latin-1 characters once a busy process has optimised it.
      'no-restricted-properties': ['error', {object: 'URL', property: 'canParse'}],
      '@typescript-eslint/restrict-template-expressions': ['error', {allowNumber: true}],
    },
  },
);
