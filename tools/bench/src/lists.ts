import pg from 'pg'
import { z } from 'zod'
import { measureMs } from './measure.ts'
import type { Server } from './server.ts'
import type { BenchFigure } from './table.ts'
import { callerOf } from './task.ts'

const inProject = 10_000
const inOthers = 1_000_000
const calls = 60
const most = 3

const reader = { username: 'reader', password: 'a-password-of-the-reader' }
const person = z.object({ id: z.int() })
const projects = z.object({ id: z.int() })

/**
 * Measures lists of a user who has a project of 10,000 tasks, beside 1,000,000 tasks of others: p95 as a multiple of
 * the bare statements for the rows, their number, and their related rows.
 */
export async function listFigures(server: Server): Promise<BenchFigure[]> {
  const database = new pg.Client({ connectionString: server.databaseUrl })
  database.on('error', () => undefined) // the failure of a stopping server is reported elsewhere
  await database.connect()
  const { api, authorization, project } = await fill(server, database)
  const figures: BenchFigure[] = []
  for (const list of listsOf(project)) {
    const answered = async () => {
      const answer = await fetch(`${api}${list.path}`, { headers: { authorization } })
      if (!answer.ok) throw new Error(`${list.path}: ${answer.status} ${await answer.text()}`)
      await answer.arrayBuffer()
    }
    const bare = async () => {
      for (const [index, text] of list.statements.entries())
        await database.query({ name: `${list.what} ${index}`, text })
    }
    figures.push(figureOf(list.what, await inTurn(bare, answered)))
  }
  await database.end()
  return figures
}

async function inTurn(limit: () => Promise<unknown>, subject: () => Promise<unknown>) {
  const times = { limit: [] as number[], subject: [] as number[] }
  for (let call = -5; call < calls; call++) {
    const pair = { limit: await measureMs(limit), subject: await measureMs(subject) }
    if (call < 0) continue
    times.limit.push(pair.limit)
    times.subject.push(pair.subject)
  }
  return { limit: p95(times.limit), subject: p95(times.subject) }
}

const p95 = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN

function figureOf(
  what: string,
  { limit, subject }: { limit: number; subject: number },
): BenchFigure {
  const ratio = subject / limit
  return {
    id: 'lists',
    what: `${what}, of 10,000 beside 1,000,000 of others: p95 / bare statements`,
    seen: `${ratio.toFixed(2)} (${subject.toFixed(1)} ms / ${limit.toFixed(1)} ms)`,
    target: `<= ${most}`,
    holds: ratio <= most,
  }
}

/** Inserts the user's own rows and those of others directly into the tables. */
async function fill(server: Server, database: pg.Client) {
  const call = callerOf(server)
  const registration = JSON.stringify({
    ...{ username: reader.username, email: 'reader@example.org' },
    ...{ first_name: '', last_name: '' },
    ...{ password1: reader.password, password2: reader.password },
  })
  await call('POST', '/auth/register', registration)
  const basic = Buffer.from(`${reader.username}:${reader.password}`).toString('base64')
  const authorization = `Basic ${basic}`
  const asReader = callerOf({ ...server, authorization })
  const self = person.parse(await asReader('GET', '/users/self'))
  const other = person.parse(await call('GET', '/users/self'))
  const labels = [{ name: 'car' }, { name: 'person' }]
  const made = await asReader('POST', '/projects', JSON.stringify({ name: 'bench', labels }))
  const { id: project } = projects.parse(made)
  await database.query('set search_path = projects')
  const add = (count: number, owner: number, projectOf: string) =>
    database.query(`
      with added as (
        insert into tasks (name, project_id, owner_id, status, subset, size, segment_size, mode, media_type,
          created_date, updated_date)
        select 'Batch ' || number, ${projectOf}, ${owner}, 'annotation', 'train', number % 100, 0, 'annotation',
          'image', now() - number * interval '1 minute', now() - (number % 997) * interval '1 minute'
        from generate_series(1, ${count}) number returning id)
      insert into jobs (task_id, start_frame, stop_frame, assignee_id)
      select id, 0, 9, case when id % 3 = 0 then ${owner} end from added`)
  await database.query(`
    insert into projects (name, owner_id) select 'p' || number, ${other.id} from generate_series(1, 1000) number`)
  const { rows } = await database.query(
    'select min(id) as first from projects where owner_id = $1',
    [other.id],
  )
  await add(inOthers, other.id, `${Number(rows[0]?.first)} + number % 1000`)
  await add(inProject, self.id, String(project))
  await database.query('vacuum analyze tasks')
  await database.query('vacuum analyze jobs')
  await database.query('analyze projects')
  return { api: server.api, authorization, project }
}

interface List {
  what: string
  path: string
  statements: string[]
}

function listsOf(project: number): List[] {
  const ofProject = `tasks.project_id = ${project}`
  const tasks = (where: string, order = 'id desc') => [
    `select count(*) from tasks where ${where}`,
    `select * from tasks where ${where} order by ${order} limit 10`,
    ...hanging(`select id from tasks where ${where} order by ${order} limit 10`),
  ]
  const matches = (term: string) =>
    ['name', 'status', 'subset', 'mode', 'dimension', 'bug_tracker', 'validation_mode']
      .map((column) => `${column} ilike '%${term}%'`)
      .join(' or ')
  const filter = {
    and: [{ '==': [{ var: 'status' }, 'annotation'] }, { '>': [{ var: 'size' }, 90] }],
  }
  const jobs = `from jobs join tasks on tasks.id = jobs.task_id where ${ofProject}`
  return [
    {
      what: 'tasks of a project',
      path: `/tasks?project_id=${project}`,
      statements: tasks(ofProject),
    },
    {
      what: 'a search in a project',
      path: `/tasks?project_id=${project}&search=batch,99`,
      statements: tasks(`${ofProject} and (${matches('batch')}) and (${matches('99')})`),
    },
    {
      what: 'a filter in a project, sorted by date',
      path: `/tasks?project_id=${project}&sort=-updated_date&filter=${encodeURIComponent(JSON.stringify(filter))}`,
      statements: tasks(
        `${ofProject} and status = 'annotation' and size > 90`,
        'updated_date desc, id desc',
      ),
    },
    {
      what: 'all tasks that one sees, by name',
      path: '/tasks?sort=name',
      statements: tasks(
        `owner_id = (select owner_id from projects where id = ${project})`,
        'name, id',
      ),
    },
    {
      what: 'jobs of a project',
      path: `/jobs?project_id=${project}&sort=-updated_date`,
      statements: [
        `select count(*) ${jobs}`,
        `select jobs.* ${jobs} order by jobs.updated_date desc, jobs.id desc limit 10`,
      ],
    },
  ]
}

/** Data of other tables on a page of tasks. */
const hanging = (ids: string) => [
  'select id, username from users where id in (1, 2)',
  `select * from labels where project_id in (select project_id from tasks where id in (${ids}))`,
  `select * from storages where task_id = any(array(${ids}))`,
  `select task_id, count(*), count(*) filter (where status = 'completed') from jobs
    where task_id = any(array(${ids})) group by task_id`,
]
