/** Hides the SQLite of Node.js from this process, which then needs libsql. */
const original = process.getBuiltinModule.bind(process);
process.getBuiltinModule = (id: string) => (id === 'node:sqlite' ? undefined : original(id));
