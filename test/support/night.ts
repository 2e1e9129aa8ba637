/** Whether everything runs, as often as a night allows: `npm run test:long`. Otherwise as much as a change has time for. */
export const isNight = process.env['NIGHT'] === 'true';
