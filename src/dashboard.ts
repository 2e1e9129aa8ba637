export {dashboard} from './dashboard/middleware.ts';
export type {DashboardOptions, DashboardPage, DashboardUser} from './dashboard/options.ts';
