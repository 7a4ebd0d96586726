import { setFlagsFromString } from 'node:v8'

/**
 * Makes the engine allocate every object in the young generation, for all threads of the process. Otherwise batches of
 * a stream could be allocated in the old generation and stay until the next full collection, hundreds of MiB of them
 * (`docs/adr/0033-disable-v8-allocation-site-pretenuring.md`).
 */
export function keepObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}
