import { setFlagsFromString } from 'node:v8'

/**
 * Has the engine make every object young, whatever became of others from the same place in the code: batches of a stream
 * would lie among the old until the next full collection, hundreds of MiB of them
 * (`docs/adr/0033-objects-are-young-at-birth.md`). For the whole process, all of its threads.
 */
export function keepObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}
