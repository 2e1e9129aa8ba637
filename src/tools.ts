export {type CopyOptions, type CopySummary, copyStore} from './tools/copy.ts';
export type {OnProgress, Progress} from './tools/progress.ts';
export {ToolError, type ToolErrorCode} from './tools/tool-error.ts';
