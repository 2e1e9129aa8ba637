export {type CopyOptions, type CopySummary, copyStore} from './tools/copy.ts';
export {exportLinks, type ExportOptions, type ExportSummary} from './tools/export.ts';
export {importNdjson, type ImportNdjsonOptions, type ImportNdjsonSummary} from './tools/import-ndjson.ts';
export {importLinks} from './tools/import-links.ts';
export type {ImportFormat, ImportOptions} from './tools/import-options.ts';
export type {ImportLine, ImportSummary} from './tools/import-report.ts';
export {reseal, type ResealOptions, type ResealSummary} from './tools/reseal.ts';
export type {OnProgress, Progress} from './tools/progress.ts';
export {ToolError, type ToolErrorCode} from './tools/tool-error.ts';
