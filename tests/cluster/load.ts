import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestReceiver } from '@reticle/kit/testing/receiver'
import {
  type AnyJson,
  type ApiClient,
  type ApiResponse,
  createApiClient,
} from '../support/client.ts'
import { rectangle, taskWithMedia } from '../support/factories.ts'
import { basic } from '../support/reticle.ts'

/** Calls of a load and their answers, to be compared with the final state. */
export interface LoadLedger {
  /** Names of requested projects, and of acknowledged ones. */
  requested: Set<string>
  created: Set<string>
  /** `group` numbers of shapes, one per call. */
  drawn: { requested: Set<number>; acknowledged: Set<number> }
  /** Acknowledged names of the watched project, in order. */
  renamed: string[]
  exports: string[]
  /** Failures that no client should have seen. */
  wrong: string[]
  /** Calls that were answered 503 or whose connection was cut, in order. */
  refusals: string[]
  /** Longest gap between two acknowledged calls in milliseconds. */
  longestGap: number
}

export interface ClusterLoad {
  ledger: LoadLedger
  /** The task with the drawn shapes, and the project that is renamed and watched by a webhook. */
  task: AnyJson
  project: AnyJson
  stop: () => Promise<void>
}

const restMs = 25

/** Starts four kinds of writers, each making one call after the other through all gateways in turn, until stopped. */
export async function startLoad(
  urls: readonly string[],
  receiver: TestReceiver,
): Promise<ClusterLoad> {
  const apis = urls.map((url) => createApiClient(`${url}/api`, basic))
  const [first] = apis
  if (!first) throw new Error('a load needs a gateway')
  const task = await taskWithMedia(first)
  const project = await first.done('POST', '/projects', { json: { name: 'watched' } })
  const hook = { target_url: `${receiver.url}/hook`, events: 'update:project', type: 'project' }
  await first.done('POST', '/webhooks', { json: { ...hook, project_id: project.id } })

  const ledger = newLedger()
  const mark = randomUUID() // separates the loads that run on one system
  let isStopped = false
  let turn = 0
  let lastGood = performance.now()
  const recordAnswer = (answer: ApiResponse | Error, name: string): boolean => {
    const isGood = !(answer instanceof Error) && answer.status < 300
    const now = performance.now()
    ledger.longestGap = Math.max(ledger.longestGap, now - lastGood)
    if (isGood) lastGood = now
    else if (isRefusal(answer)) ledger.refusals.push(`${name}: ${describeAnswer(answer)}`)
    else ledger.wrong.push(`${name}: ${describeAnswer(answer)}`)
    return isGood
  }
  const writer = async (write: (api: ApiClient, n: number) => Promise<boolean>, rest = restMs) => {
    for (let n = 1; !isStopped; n++) {
      const api = apis[turn++ % apis.length] ?? first
      const isGood = await write(api, n)
      await sleep(isGood ? rest : 10 * rest)
    }
  }
  const attempt = (call: Promise<ApiResponse>): Promise<ApiResponse | Error> =>
    call.catch((thrown) => (thrown instanceof Error ? thrown : new Error(String(thrown))))

  const create = async (api: ApiClient, n: number) => {
    const name = `${mark}-${n}`
    ledger.requested.add(name)
    const answer = await attempt(api.call('POST', '/projects', { json: { name } }))
    const isGood = recordAnswer(answer, 'POST /projects')
    if (isGood) ledger.created.add(name)
    return isGood
  }
  const draw = async (api: ApiClient, n: number) => {
    const shapes = [{ ...rectangle(task.labels[0].id, n % 4), group: n }]
    ledger.drawn.requested.add(n)
    const path = `/tasks/${task.id}/annotations/?action=create`
    const answer = await attempt(api.call('PATCH', path, { json: { shapes } }))
    const isGood = recordAnswer(answer, 'PATCH annotations')
    if (isGood) ledger.drawn.acknowledged.add(n)
    return isGood
  }
  const rename = async (api: ApiClient, n: number) => {
    const json = { name: `watched-${n}` }
    const answer = await attempt(api.call('PATCH', `/projects/${project.id}`, { json }))
    const isGood = recordAnswer(answer, 'PATCH /projects')
    if (isGood) ledger.renamed.push(json.name)
    return isGood
  }
  const readExport = async (api: ApiClient) => {
    const path = `/tasks/${task.id}/dataset/export?format=COCO%201.0`
    const answer = await attempt(api.call('POST', path))
    const isBusy = !(answer instanceof Error) && answer.status === 409
    if (isBusy) return true
    const isGood = recordAnswer(answer, 'POST export')
    if (isGood && !(answer instanceof Error)) ledger.exports.push(answer.body.rq_id)
    return isGood
  }
  const running = [writer(create), writer(draw), writer(rename), writer(readExport, 1000)]
  return {
    ledger,
    task,
    project,
    stop: async () => {
      isStopped = true
      await Promise.all(running)
    },
  }
}

const newLedger = (): LoadLedger => ({
  requested: new Set(),
  created: new Set(),
  drawn: { requested: new Set(), acknowledged: new Set() },
  renamed: [],
  exports: [],
  wrong: [],
  refusals: [],
  longestGap: 0,
})

/** Whether a client may see the answer while a part is down: 503 with Retry-After, or a cut connection. */
const isRefusal = (answer: ApiResponse | Error) =>
  answer instanceof Error || (answer.status === 503 && answer.headers.has('retry-after'))

const describeAnswer = (answer: ApiResponse | Error) =>
  answer instanceof Error
    ? `${answer.message}: ${answer.cause}`
    : `${answer.status} ${answer.text.slice(0, 300)}`
