import { inSpan, traceBindings } from '@reticle/kit/observe/traces'
import { latestWriter } from '@reticle/kit/scheduling/latest-writer'
import type { RequestRow } from '../db/schema.ts'
import { leasesLost, noteClaim, timeRun } from '../requests/metrics.ts'
import { removeSpare } from '../storage/deduplicate-files.ts'
import { registerPending } from '../storage/repo-objects.ts'
import type { ProgressCallback } from '../work/amounts.ts'
import { detailOf, failureOf } from '../work/failure.ts'
import { readWork } from '../work/request-work.ts'
import { firstChunkKey, resultKey } from '../work/result-key.ts'
import type { ConversionResult } from './converter-run.ts'
import type { Converters } from './converters.ts'
import { registerContents, shareWithTask } from './leases/register-contents.ts'
import { findCheckpoint, saveCheckpoint } from './leases/repo-checkpoints.ts'
import { finishFromTwin, withTwinFile } from './leases/repo-endings.ts'
import { enterFinal, isOpen, reportProgress } from './leases/repo-leases.ts'
import type { RunningRequest, RunningRequests } from './running-requests.ts'
import { type SettleDeps, settleRequest } from './settle.ts'
import { removeTmpDir } from './tmp-dirs.ts'

export interface RunDeps extends SettleDeps {
  running: RunningRequests
  converters: Pick<Converters, 'run'>
  tmpDir: string
}

/**
 * Runs a claimed request until it ends or its lease is lost, as part of the trace it was posted in. Never throws,
 * because an exception would end the slot.
 */
export function runRequest(deps: RunDeps, row: RequestRow): Promise<void> {
  const { rq_id, request_uuid, action, attempt } = row
  const spanOptions = { kind: 'consumer', service: 'jobs-svc worker' } as const
  const attributes = { 'reticle.request_uuid': request_uuid, 'reticle.attempt': attempt }
  const posted = row.traceparent ?? undefined
  noteClaim(row)
  return inSpan(`run ${action}`, { ...spanOptions, traceparent: posted, attributes }, (span) => {
    const { traceparent = null } = span
    const log = deps.log.child({ rq_id, request_uuid, ...traceBindings(posted) })
    return runClaimed({ ...deps, log }, { ...row, traceparent })
  })
}

/** Time limit for deleting duplicate uploads; the sweeper deletes the rest. */
const spareMs = 60_000

async function runClaimed(deps: RunDeps, row: RequestRow): Promise<void> {
  const { db, running, log, resultTtlHours, tmpDir } = deps
  const held = running.add(row)
  const over = timeRun(row)
  try {
    if (await finishFromTwin(db, row, resultTtlHours)) return
    const conversion = await runConversion(deps, held).catch(toFailedResult)
    await removeTmpDir(tmpDir, row).catch((thrown) =>
      log.warn({ err: thrown }, 'temporary folder of request not removed'),
    )
    const hasResult = await settleRequest(deps, row, conversion, held.reason)
    const { action, format, attempt } = row
    const ms = Math.round(performance.now() - held.started)
    log.info(
      { action, format, attempt, ended: held.reason ?? conversion.type, ms },
      'request attempt ended',
    )
    if (held.reason === 'lost' && (await isOpen(db, row))) leasesLost.inc()
    if (hasResult && conversion.type === 'done')
      await removeSpare(deps, conversion.outcome.spare ?? [], AbortSignal.timeout(spareMs))
  } catch (thrown) {
    log.error({ err: thrown }, 'request attempt failed unexpectedly')
  } finally {
    over()
    running.remove(held)
  }
}

async function runConversion(
  { db, converters, log, running }: RunDeps,
  held: RunningRequest,
): Promise<ConversionResult> {
  const { row, abort } = held
  const checkpoint = await findCheckpoint(db, row)
  const work = readWork({ ...(await withTwinFile(db, row)), checkpoint })
  if (work.action === 'export')
    await registerPending(db, { key: resultKey(row), kind: 'result', organization_id: row.org_id })
  if (work.action === 'create')
    await registerPending(db, { key: firstChunkKey(work), kind: 'frames', task_id: work.task_id })
  const { write, written } = latestWriter((made: Parameters<typeof reportProgress>[2]) =>
    reportProgress(db, row, made).catch((thrown) =>
      log.warn({ err: thrown }, 'request progress not written'),
    ),
  )
  const progress: ProgressCallback = (share, stage, amounts) => {
    running.moved(held)
    write({ progress: share, stage, ...amounts })
  }
  /** Logs the failure of a callback, because the converter receives no details. */
  const logFailure = <T>(what: string, done: Promise<T>): Promise<T> =>
    done.catch((err) => {
      log.warn({ err }, what)
      throw err
    })
  const conversion = await converters.run(work, {
    progress,
    enterFinal: () => enterFinal(db, row),
    registerContents: (files) =>
      logFailure('contents of upload not registered', registerContents(db, row, files)),
    shareWithTask: (task_id) =>
      logFailure('contents of upload not shared with task', shareWithTask(db, row, task_id)),
    saveCheckpoint: (kept) =>
      logFailure('request checkpoint not written', saveCheckpoint(db, row, kept)),
    signal: abort.signal,
  })
  await written()
  return conversion
}

const toFailedResult = (thrown: unknown): ConversionResult => ({
  type: 'failed',
  failure: { ...failureOf(thrown), detail: detailOf(thrown) },
})
