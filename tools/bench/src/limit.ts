import { execFile, spawnSync } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { from, to } from 'pg-copy-streams'

/** Time of the database alone for the same rows, as the reference of a run. */
export interface Limit {
  /** How it is measured: `psql`, or a COPY stream if psql is not installed. */
  name: string
  /** Reads the shapes of a task in order and discards them. */
  read: (taskId: number) => Promise<void>
  /**
   * Saves the shapes of a task to `file`, for `write`. With new ids, as every replacement has: equal ids would be
   * looked up among the rows that were just deleted.
   */
  save: (taskId: number, file: string) => Promise<void>
  /** Deletes the shapes of the task and copies them in from `file`, in one transaction. */
  write: (taskId: number, file: string) => Promise<void>
}

const format = "(format csv, delimiter E'\\x02', quote E'\\x01')"
const columns =
  'task_id, job_id, frame, label_id, id, "group", z_order, rotation, score, type, source, occluded, outside, points, attributes, elements, generation'
const select = (taskId: number, given: string) =>
  `(select ${given} from annotations.shapes join annotations.jobs using (task_id, job_id, generation)
    where task_id = ${taskId} order by job_id, frame, id)`
const rows = (taskId: number) => select(taskId, columns)
const renumbered = (taskId: number) => select(taskId, columns.replace(' id,', ' id + 1000000000,'))
/** Deletes the saved rows and those written since; rows that the service wrote later have later generations. */
const remove = (taskId: number) => `delete from annotations.shapes where task_id = ${taskId}
  and generation = (select min(generation) from annotations.shapes where task_id = ${taskId})`

export function limitOf(url: string): Limit {
  return spawnSync('psql', ['--version']).status === 0 ? byPsql(url) : byStreams(url)
}

function byPsql(url: string): Limit {
  const run = promisify(execFile)
  const psql = async (...commands: string[]) => {
    const args = commands.flatMap((command) => ['-c', command])
    await run('psql', ['-X', '-q', '-1', '-v', 'ON_ERROR_STOP=1', url, ...args])
  }
  return {
    name: 'psql',
    read: (taskId) => psql(`\\copy ${rows(taskId)} to /dev/null with ${format}`),
    save: (taskId, file) => psql(`\\copy ${renumbered(taskId)} to '${file}' with ${format}`),
    write: (taskId, file) =>
      psql(remove(taskId), `\\copy annotations.shapes (${columns}) from '${file}' with ${format}`),
  }
}

function byStreams(url: string): Limit {
  const connected = async (use: (client: pg.Client) => Promise<void>) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await use(client).finally(() => client.end())
  }
  const nowhere = () => new Writable({ write: (_piece, _encoding, done) => done() })
  const out = (query: string) => to(`copy ${query} to stdout with ${format}`)
  return {
    name: 'COPY stream',
    read: (taskId) => connected((client) => pipeline(client.query(out(rows(taskId))), nowhere())),
    save: (taskId, file) =>
      connected((client) =>
        pipeline(client.query(out(renumbered(taskId))), createWriteStream(file)),
      ),
    write: (taskId, file) =>
      connected(async (client) => {
        await client.query('begin')
        await client.query(remove(taskId))
        const into = client.query(
          from(`copy annotations.shapes (${columns}) from stdin with ${format}`),
        )
        await pipeline(createReadStream(file), into)
        await client.query('commit')
      }),
  }
}
