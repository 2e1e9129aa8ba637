export {type NodeHandler, type NodeHandlerOptions, toNodeHandler} from './http/koa/node-handler.ts';
