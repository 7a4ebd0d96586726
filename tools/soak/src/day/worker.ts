import type { ImageFile } from '@reticle/tests/support/pictures'
import type { Random } from '@reticle/tests/support/random'
import type { DayCaller } from './day-caller.ts'
import type { DayLedger } from './ledger.ts'

/** A working user and their objects. */
export interface Worker {
  caller: DayCaller
  /** Webhook of their organization with all events that the ledger counts as expected messages. */
  webhook: number
  storage_id: number
  pictures: readonly ImageFile[]
  ledger: DayLedger
  random: Random
  /** Whether the day is over; a shift that has started is completed. */
  isOver: () => boolean
}
