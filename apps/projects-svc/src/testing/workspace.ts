import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { guides } from '@reticle/contracts/api/guides'
import { identity } from '@reticle/contracts/api/identity'
import { issues } from '@reticle/contracts/api/issues'
import { jobs } from '@reticle/contracts/api/jobs'
import { labels } from '@reticle/contracts/api/labels'
import { media } from '@reticle/contracts/api/media'
import { organizations } from '@reticle/contracts/api/organizations'
import { projects } from '@reticle/contracts/api/projects'
import { storages } from '@reticle/contracts/api/storages'
import { tasks } from '@reticle/contracts/api/tasks'
import type { FrameSource } from '@reticle/contracts/rest/media'
import type { Principal } from '@reticle/contracts/rest/principal'
import { frameOf } from '@reticle/contracts/testing/records'
import type { CallContext } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { diskBlobs } from '@reticle/kit/blob/disk'
import { systemClock } from '@reticle/kit/scheduling/clock'
import { cutBytes } from '@reticle/kit/testing/bytes'
import { callAs } from '@reticle/kit/testing/call'
import { testDatabase } from '@reticle/kit/testing/db'
import { checkEmitOrder } from '@reticle/kit/testing/emit-order'
import { overTransport, type Transport } from '@reticle/kit/testing/transport'
import type { Kysely } from 'kysely'
import { afterAll } from 'vitest'
import { type ProjectsSettings, readConfig } from '../config.ts'
import { migrations } from '../db/migrations/index.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { handlers, type ServerDeps } from '../server.ts'

export type TestWorkspace = Awaited<ReturnType<typeof testWorkspace>>
export type Services = ReturnType<TestWorkspace['over']>

/**
 * Sets up the service on the database of the test file. It checks that every event is emitted after the lock of its
 * row.
 */
export async function testWorkspace(
  settings: Partial<ProjectsSettings> = {},
  given: Pick<ServerDeps, 'secrets' | 'openBucket'> = {},
) {
  const { db } = await testDatabase<ProjectsDb>([{ schema: 'projects', migrations }])
  const people = { user: 'users', accesstoken: 'access_tokens', login: 'password_failures' }
  const things = {
    project: 'projects',
    task: 'tasks',
    draft: 'drafts',
    cloudstorage: 'cloud_storages',
  }
  await checkEmitOrder(db, { ...things, org: 'organizations', ...people })
  const blobs = await testBlobs()
  const settled = { ...readConfig({}), ...settings }
  const deps = { blobs, clock: systemClock, settings: settled, ...given }
  const users = addingUsers(db)
  return {
    db,
    blobs,
    ...users,
    over: (transport: Transport, onto: Kysely<ProjectsDb> = db) =>
      services(transport, handlers({ db: onto, ...deps })),
    /** Returns services on the same database with other settings. */
    overSettings: (other: Partial<ProjectsSettings>) =>
      services('in-process', handlers({ ...deps, db, settings: { ...deps.settings, ...other } })),
    takeEvents: () => takeEvents(db),
  }
}

function services(transport: Transport, all: ReturnType<typeof handlers>) {
  return {
    identity: overTransport(transport, identity, all.identity),
    organizations: overTransport(transport, organizations, all.organizations),
    projects: overTransport(transport, projects, all.projects),
    labels: overTransport(transport, labels, all.labels),
    tasks: overTransport(transport, tasks, all.tasks),
    jobs: overTransport(transport, jobs, all.jobs),
    issues: overTransport(transport, issues, all.issues),
    guides: overTransport(transport, guides, all.guides),
    storages: overTransport(transport, storages, all.storages),
    media: overTransport(transport, media, all.media),
  }
}

export interface TestUser {
  id: number
  username: string
  /** Each read returns a new context, whose deadline is long enough for a busy machine. */
  readonly call: CallContext
}

function addingUsers(db: Kysely<ProjectsDb>) {
  let count = 0
  /** Adds a user of this global role, with a context of their calls. */
  const addUser = async (role: Principal['role'] = 'user'): Promise<TestUser> => {
    const username = `user-${++count}`
    const { id } = await db
      .insertInto('users')
      .values({ username, email: '', password_hash: '', role })
      .returning('id')
      .executeTakeFirstOrThrow()
    return {
      id,
      username,
      get call() {
        return callAs({ user_id: id, username, role }, { deadline: Date.now() + 120_000 })
      },
    }
  }
  return { addUser }
}

/** Returns the events so far in the order of emission, and empties the outbox. */
async function takeEvents(db: Kysely<ProjectsDb>) {
  const rows = await db.deleteFrom('outbox').returningAll().execute()
  const sorted = rows.sort((one, other) => one.id - other.id)
  return sorted.map(({ type, key, data, headers }) => ({ type, key, data, headers }))
}

/** Returns image number `index` of a generated data set. */
export const frameAt = (index: number, given: Partial<FrameSource> = {}) =>
  frameOf({
    name: `images/${index}.jpg`,
    width: 640,
    height: 480,
    offset: index * 1000,
    length: 1000,
    ...given,
  })

/** Encodes frames as a stream, cut at arbitrary positions. */
export const frameLines = (frames: readonly FrameSource[]) =>
  cutBytes(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''), 1009)

/** Attaches `size` images to a task. */
export function attachFrames(
  { media }: Pick<Services, 'media'>,
  task_id: number,
  size: number,
  { call }: TestUser,
) {
  const body = frameLines(Array.from({ length: size }, (_, index) => frameAt(index)))
  const query = { task_id, call_id: `attach-${task_id}`, image_quality: 70, chunk_size: 36 }
  return media.attachMedia({ ...query, body }, call)
}

/** Creates a disk store in a folder that is deleted after the test file. */
export async function testBlobs(): Promise<BlobStore> {
  const root = await mkdtemp(join(tmpdir(), 'reticle-projects-test-'))
  afterAll(() => rm(root, { recursive: true, force: true }))
  return diskBlobs(root)
}
