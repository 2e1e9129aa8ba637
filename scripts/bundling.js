import {readFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';

/** Tests find files of the repository from their own place, also from within a bundle. */
export const ownPlaces = {
  name: 'own-places',
  setup(bundler) {
    bundler.onLoad({filter: /\.ts$/}, ({path}) => ({
      loader: 'ts',
      contents: `const importMetaUrl = '${pathToFileURL(path).href}';${readFileSync(path, 'utf8')}`,
    }));
  },
};

/** The options of esbuild for bundles of tests. */
export const bundling = {
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'node20',
  format: 'esm',
  define: {'import.meta.url': 'importMetaUrl'},
  sourcemap: true,
  sourcesContent: false,
  // The tests are imported for their side effects.
  ignoreAnnotations: true,
  logLevel: 'warning',
};
