export {dashboard} from './dashboard/middleware.ts';
export type {DashboardOptions} from './dashboard/generated/options.ts';
export type {AccountDescription, DashboardPage, DashboardUser} from './dashboard/options.ts';
