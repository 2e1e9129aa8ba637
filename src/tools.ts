export {type CopyOptions, type CopySummary, copyStore} from './tools/copy.ts';
export {exportLinks, type ExportOptions, type ExportSummary} from './tools/export.ts';
export {importNdjson, type ImportNdjsonOptions, type ImportNdjsonSummary} from './tools/import-ndjson.ts';
export type {OnProgress, Progress} from './tools/progress.ts';
export {ToolError, type ToolErrorCode} from './tools/tool-error.ts';
