// The declarations of opencc-js import files without an extension, which the compiler refuses.
export function traditionalTexts(simplified: string): string;
