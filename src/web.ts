export {toWebHandler, type WebHandler, type WebHandlerOptions, type WebRequestDetails} from './http/koa/web-handler.ts';
