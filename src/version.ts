/* Made by `npm run generate`. Do not edit. */
export const version = '2.0.0';
