import type { Picture } from '../support/pictures.ts'
import type { Random } from '../support/random.ts'
import type { Ledger } from './ledger.ts'
import type { Caller } from './person.ts'

/** Somebody at work, and what they have. */
export interface Worker {
  caller: Caller
  /** Of their organization, asks for everything that `told` counts. */
  webhook: number
  storage_id: number
  pictures: readonly Picture[]
  ledger: Ledger
  random: Random
  /** People go home: whoever has begun something ends it. */
  isOver: () => boolean
}
