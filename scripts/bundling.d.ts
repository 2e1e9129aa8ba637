import type {BuildOptions, Plugin} from 'esbuild';

export const ownPlaces: Plugin;
export const bundling: BuildOptions;
