import { describe } from 'vitest'
import { tryChapters } from './chapters-contract.ts'
import { type Open, prepareDecoderFixture } from './decoder-fixture.ts'
import { tryOddities, tryRefusals, tryStandIns, tryStops } from './faults-contract.ts'
import {
  tryChoosing,
  tryCounting,
  tryEqualTimes,
  tryEveryClip,
  tryLies,
} from './frames-contract.ts'
import { tryLosses, tryStreams } from './streams-contract.ts'

/** Every call starts processes, which is slow on a busy machine. */
const patience = { timeout: 90_000 }

/** Tests the contract of `VideoDecoder` on clips that are encoded here. */
export function tryDecoder(name: string, open: Open): void {
  describe(name, patience, () => {
    const ground = prepareDecoderFixture(open)
    const counting = [tryEveryClip, tryCounting, tryEqualTimes, tryChoosing, tryLies]
    const parts = [...counting, tryChapters, tryStreams, tryLosses]
    for (const part of [...parts, tryRefusals, tryOddities, tryStops, tryStandIns]) part(ground)
  })
}
