import {plan} from '../plan.ts';
import {type Command, print} from './command.ts';
import {connectionString} from './stores.ts';

const help = `Usage: koa-short-url plan STORE

Prints the SQL that creates the tables of a store, or brings those of an earlier
version up to date, and runs nothing. Put it into the migrations of your site, or
run it as the owner of the database. Then the user of the site only needs the
rights to select, insert, update and delete. Without output, nothing is missing.

STORE is a connection string of SQLite, Postgres, MySQL or MariaDB.

Options:
  --store URL            the store, in place of STORE; also STORE in the
                         environment

Examples:
  koa-short-url plan postgres://owner@localhost/links > migrations/0042-short-url.sql
  STORE=mysql://owner:password@db.example/links koa-short-url plan

The summary goes to standard error.
`;

export const planning: Command = {
  summary: 'print the SQL that creates or changes the tables of a store',
  help,
  operand: 'STORE',
  isOperandOptional: true,
  async run(call) {
    const sql = await plan({store: call.operand || connectionString(call, 'store')});
    await print(call.stdout, sql);
    return {summary: {isComplete: sql === ''}, isStdoutTaken: true};
  },
};
