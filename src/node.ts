export {type NodeHandler, type NodeHandlerOptions, toNodeHandler} from './http/node-handler.ts';
