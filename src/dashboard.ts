export {dashboard} from './dashboard/middleware.ts';
export type {DashboardOptions, DashboardPage} from './dashboard/options.ts';
