/** One module, because AVA does not wait between the declarations of tests. */
import '../../unit/store/sqlite/database.test.ts';
import '../../unit/store/sqlite/database-replaced.test.ts';
import '../../unit/store/sqlite/driver.test.ts';
