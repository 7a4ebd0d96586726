import type { Picture } from '../support/pictures.ts'
import type { Random } from '../support/random.ts'
import type { Ledger } from './ledger.ts'
import type { Caller } from './person.ts'

/** A working user and their objects. */
export interface Worker {
  caller: Caller
  /** Webhook of their organization with all events that `told` counts. */
  webhook: number
  storage_id: number
  pictures: readonly Picture[]
  ledger: Ledger
  random: Random
  /** Whether the day is over; a shift that has started is completed. */
  isOver: () => boolean
}
