import { ensureClient } from './ensure-client';
import { runScript } from './run-script';

runScript(() => ensureClient((line) => console.log(line)));
