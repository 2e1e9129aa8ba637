/** One module, because AVA does not wait between the declarations of tests. */
import '../../unit/store/engines/sqlite/database.test.ts';
import '../../unit/store/engines/sqlite/database-replaced.test.ts';
import '../../unit/store/engines/sqlite/driver.test.ts';
