export {dashboard} from './dashboard/middleware.ts';
export type {AccountDescription, DashboardOptions, DashboardPage, DashboardUser} from './dashboard/options.ts';
