/** Changes everything in a value that may be changed, as a program does that takes it for its own. */
export function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.values(value).forEach(spoil);
  if (Array.isArray(value)) value.push('spoiled');
  for (const name of Object.keys(value)) Object.assign(value, {[name]: 'https://spoiled.example/'});
}
