import type { AnnotationsDb } from '@reticle/annotations-svc'
import { handlers, migrations, plans, readConfig, schema } from '@reticle/annotations-svc'
import { factsOf, labelOf } from '@reticle/contracts/testing/records'
import { openDatabase } from '@reticle/kit/db/connect'
import { migrateSchema } from '@reticle/kit/db/migrate'
import { silentLog } from '@reticle/kit/observe/log'
import { callAs } from '@reticle/kit/testing/call'
import pg from 'pg'

/** Frames per job, and number of jobs. */
export const framesOfJob = 2000
const jobCount = 20

export const taskId = 1
export const labelId = 1
export const firstFrameOf = (job: number) => (job - 1) * framesOfJob

export type Alone = Awaited<ReturnType<typeof openAlone>>

/**
 * Starts annotations-svc in this process with its own database: no HTTP, no gateway, and projects-svc answers from
 * memory. One task of 20 jobs, numbered from 1, of 2,000 frames each.
 *
 * @param env settings of the service
 */
export async function openAlone(serverUrl: string, name: string, env: Record<string, string> = {}) {
  const url = await freshDatabase(serverUrl, name)
  await migrateSchema(url, { schema, migrations })
  const options = { application: name, search_path: [schema] }
  const few = openDatabase<AnnotationsDb>(url, { ...options, max: 8, plans })
  const many = openDatabase<AnnotationsDb>(url, { ...options, max: 6, statement_timeout: 600_000 })
  const { annotations } = handlers({
    db: few.db,
    bulk: many.db,
    log: silentLog,
    settings: readConfig(env),
    services: neighbours,
  })
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  await database.query(`set search_path = ${schema}`)
  const close = async () => {
    await Promise.all([database.end(), few.close(), many.close()])
  }
  return { service: annotations, database, close }
}

async function freshDatabase(serverUrl: string, name: string): Promise<string> {
  const admin = new pg.Client({ connectionString: serverUrl })
  await admin.connect()
  await admin.query(`drop database if exists ${name}`)
  await admin.query(`create database ${name}`)
  await admin.end()
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

const jobs = Array.from({ length: jobCount }, (_, index) => {
  const start_frame = firstFrameOf(index + 1)
  return { id: index + 1, start_frame, stop_frame: start_frame + framesOfJob - 1 }
})

const neighbours: Parameters<typeof handlers>[0]['services'] = {
  tasks: {
    authorize: async ({ target, id }) => {
      const own = target === 'job' ? jobs.filter((job) => job.id === id) : jobs
      const job_id = target === 'job' ? id : null
      const size = jobCount * framesOfJob
      return factsOf({ target, task_id: taskId, job_id, jobs: own, labels_revision: 1, size })
    },
    annotationsChanged: async () => undefined,
  },
  labels: {
    getLabelSet: async () => ({
      labels_revision: 1,
      labels: [labelOf({ id: labelId, name: 'car' })],
    }),
  },
  media: {
    getFrameSizes: async () => ({
      runs: [{ count: jobCount * framesOfJob, width: 1920, height: 1080 }],
    }),
    getDeletedFrames: async () => ({ frames: [] }),
    listExtents: async ({ id }) => ({
      labels_revision: 1,
      label_events: [],
      tasks: [
        {
          ...{ task_id: taskId, size: jobCount * framesOfJob, dimension: '2d' },
          ...{ jobs: jobs.filter((job) => job.id === id), frames: [], deleted: [] },
        },
      ],
      next: null,
    }),
  },
}

export const caller = () => callAs({ user_id: 1 })

/** Reads an answer and discards it. */
export async function drainChunks({
  chunks,
}: {
  chunks: AsyncIterable<Uint8Array>
}): Promise<void> {
  for await (const _ of chunks);
}
