import type { RequestRow } from '../db/schema.ts'
import { registerPending } from '../objects/repo.ts'
import { failureOf } from '../operations/failure.ts'
import { resultKey } from '../operations/result-key.ts'
import { finishFromTwin } from '../requests/ending.ts'
import { enterFinal, reportProgress } from '../requests/lease.ts'
import { readWork } from '../requests/work.ts'
import type { Held, HeldRequests } from './held.ts'
import { type SettleDeps, settle } from './settle.ts'
import type { Conversion, Slot } from './slot.ts'
import { removeTmpDir } from './tmp-dirs.ts'

export interface RunDeps extends SettleDeps {
  running: HeldRequests
  slot: Slot
  tmp_dir: string
}

/** Runs a request that was claimed, to its end or until it is taken away. Never throws: the next one is waiting. */
export async function runRequest(deps: RunDeps, row: RequestRow): Promise<void> {
  const { db, running, log, result_ttl_hours, tmp_dir } = deps
  const held = running.add(row)
  try {
    if (await finishFromTwin(db, row, result_ttl_hours)) return
    const conversion = await convert(deps, held).catch(failed)
    await removeTmpDir(tmp_dir, row)
    await settle(deps, row, conversion, held.reason)
  } catch (thrown) {
    log.error({ err: thrown, request_uuid: row.request_uuid }, 'a request could not be run')
  } finally {
    running.remove(held)
  }
}

async function convert({ db, slot, log, running }: RunDeps, held: Held): Promise<Conversion> {
  const { row, abort } = held
  const work = readWork(row)
  if (work.action === 'export')
    await registerPending(db, { key: resultKey(row), kind: 'result', organization_id: row.org_id })
  let written = Promise.resolve()
  const write = (progress: number, stage: string) =>
    reportProgress(db, row, { progress, stage }).catch((thrown) =>
      log.warn({ err: thrown }, 'progress could not be written'),
    )
  const progress = (share: number, stage: string) => {
    running.moved(held)
    written = written.then(() => write(share, stage))
  }
  const conversion = await slot.run(work, {
    progress,
    enterFinal: () => enterFinal(db, row),
    signal: abort.signal,
  })
  await written
  return conversion
}

const failed = (thrown: unknown): Conversion => {
  const detail = thrown instanceof Error ? String(thrown.stack) : String(thrown)
  return { type: 'failed', failure: { ...failureOf(thrown), detail } }
}
