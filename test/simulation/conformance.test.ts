import {Luck, type Process, Timeline} from './timeline.ts';
import {Keyv} from 'keyv';
import {codecOf} from '../../src/store/codec.ts';
import {LayeredStore} from '../../src/store/layers/layered-store.ts';
import {testStore} from '../support/store/conformance.ts';
import {SimulatedDriver} from './driver.ts';
import type {Network} from './wire.ts';
import {Server} from './server.ts';

const timeline = new Timeline(1, 0);
const network: Network = {
  timeline,
  server: new Server(),
  isCluster: false,
  schedule: undefined,
  reachableAt: () => 0,
  beforeCommand() {
    // Deadlines are in real time here.
    timeline.now = performance.now();
    setImmediate(() => void timeline.run());
  },
};

testStore({
  title: 'the simulated store',
  guarantee: 'store',
  open(namespace, now) {
    const process: Process = {
      name: 'process',
      isDead: false,
      stalledUntil: 0,
      clock: {ahead: 0, settings: 0},
      failures: 0,
    };
    timeline.scope = {process, luck: new Luck(1)};
    return new LayeredStore(new SimulatedDriver(network, process), {
      codec: codecOf(new Keyv(), undefined, true),
      keyOf: (key) => `${namespace}:${key}`,
      timeout: 60_000,
      now,
      onOutage: () => undefined,
      onUnreadable: () => undefined,
    });
  },
});
