import { setTimeout as sleep } from 'node:timers/promises'
import type { BlobStore } from '@reticle/kit/blob/blob'
import type { Logger } from '@reticle/kit/observe/log'
import type { Kysely } from 'kysely'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { dropUnusedResult } from '../storage/repo-objects.ts'
import { parseStoredCheckpoint } from '../work/checkpoint.ts'
import { isUnstorable, type RequestFailure, unstorable } from '../work/failure.ts'
import { resultKey } from '../work/result-key.ts'
import type { ConversionResult } from './converter-run.ts'
import { failRequest, finishRequest } from './leases/repo-endings.ts'
import { requeueLater, requeueUnfinished } from './leases/repo-leases.ts'

export interface SettleDeps {
  db: Kysely<RequestsDb>
  blobs: Pick<BlobStore, 'remove' | 'removePrefix' | 'abandon'>
  log: Logger
  resultTtlHours: number
  leaseSeconds: number
  /** Seconds before the second and the third attempt. */
  retrySeconds: readonly number[]
}

/** Reason why the worker itself stopped a conversion. */
export type StopReason = 'lost' | 'stuck' | 'too long' | 'shutdown'

const stopped: Partial<Record<StopReason, RequestFailure>> = {
  stuck: { kind: 'transient', message: 'The conversion made no progress' },
  'too long': { kind: 'limit', message: 'The conversion took longer than it may' },
}

/**
 * Writes the outcome of a request. Every write names the lease: when it is lost, nothing is written, and the files that
 * the attempt left in the blob store are removed.
 *
 * @returns whether the request has ended with the result of this attempt
 */
export async function settleRequest(
  deps: SettleDeps,
  row: RequestRow,
  conversion: ConversionResult,
  reason: StopReason | undefined,
): Promise<boolean> {
  const hasResult = await retryWrite(deps, () => record(deps, row, conversion, reason)).catch(
    (thrown) => {
      const failure = unstorable(thrown)
      return retryWrite(deps, () => record(deps, row, { type: 'failed', failure }, reason))
    },
  )
  if (!hasResult && row.action === 'export') await dropResult(deps, row)
  return hasResult
}

/** Writes the outcome; returns whether the row now refers to the result. */
async function record(
  deps: SettleDeps,
  row: RequestRow,
  conversion: ConversionResult,
  reason: StopReason | undefined,
): Promise<boolean> {
  const { db, log, resultTtlHours } = deps
  if (conversion.type === 'done') return finishRequest(db, row, conversion.outcome, resultTtlHours)
  if (reason === 'lost') return false
  if (reason === 'shutdown') {
    await requeueUnfinished(db, row)
    return false
  }
  const { failure } = conversion
  const decided = (reason && stopped[reason]) ?? failure
  const { attempt } = row
  if (decided.kind === 'user') log.info({ attempt }, decided.message)
  else if (decided.kind === 'defect')
    log.error({ attempt, detail: failure.detail }, decided.message)
  else log.warn({ attempt, detail: failure.detail }, decided.message)
  await recordFailure(deps, row, decided)
  return false
}

async function recordFailure(
  { db, resultTtlHours, retrySeconds }: SettleDeps,
  row: RequestRow,
  { kind, message, report }: RequestFailure,
): Promise<void> {
  // A third attempt would not have more memory, and a second one would not have more time.
  const attempts = { user: 1, limit: 1, defect: 1, memory: 2, transient: row.max_attempts }[kind]
  const seconds = retrySeconds[Math.min(row.attempt, retrySeconds.length) - 1] ?? 0
  if (row.attempt < attempts) await requeueLater(db, row, seconds)
  else
    await failRequest(db, row, message, resultTtlHours, {
      isUndone: kind === 'user' && row.attempt === 1,
      ...(report && { report }),
    })
}

const pauseMs = 1000

/**
 * Repeats a write while the database is unreachable. When it stays unreachable the lease ends, and another worker runs
 * the request again.
 *
 * @throws errors for which `isUnstorable` is true: a repetition would fail as well
 */
async function retryWrite(
  { log, leaseSeconds }: SettleDeps,
  run: () => Promise<boolean>,
): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (thrown) {
      if (isUnstorable(thrown)) throw thrown
      log.error({ err: thrown }, 'request outcome not written')
      if (tries * pauseMs >= leaseSeconds * 1000) return false
      await sleep(pauseMs)
    }
  }
}

/**
 * Removes the result files that this attempt started or resumed, unless a row refers to them: the end may have been
 * written although its answer was lost, and another attempt may resume from the file.
 */
async function dropResult({ db, blobs, log }: SettleDeps, row: RequestRow): Promise<void> {
  try {
    for (const key of new Set([
      resultKey(row),
      parseStoredCheckpoint(row.checkpoint)?.key ?? resultKey(row),
    ])) {
      if (!(await dropUnusedResult(db, key))) continue
      await blobs.remove(key)
      await blobs.abandon(key)
    }
  } catch (thrown) {
    log.warn({ err: thrown }, 'unused result not removed; left to the sweeper')
  }
}
