import type { LoadCall } from './load.ts'
import { startEmbedded } from './server.ts'
import { addMeasuredUser, besideLoad } from './small-calls.ts'
import type { BenchFigure } from './table.ts'
import { callerOf, makeTask } from './task.ts'
import { registerUser } from './users.ts'

const most = 3
const shown = 6000

interface LargeCall {
  what: string
  script: LoadCall[]
}

/** Measures small calls beside a sequence of calls whose body or answer has the maximum size. */
export async function* besideFigures(): AsyncGenerator<BenchFigure> {
  const server = await startEmbedded({
    RETICLE_GATEWAY_RATE_USER: '0',
    RETICLE_GATEWAY_RATE_ANNOTATIONS: '0',
  })
  const { api } = server
  try {
    const authorization = await registerUser(api, 'large')
    const larges = await largeCalls(api, authorization)
    const measured = await addMeasuredUser(api)
    for (const { what, script } of larges) {
      const calls = script.map((call) => ({ ...call, headers: { authorization } }))
      const load = { api, connections: 1, scripts: [calls] }
      yield await besideLoad(measured, { id: 'T-TEN-3', what, load, most })
    }
  } finally {
    await server.stop()
  }
}

async function largeCalls(api: string, authorization: string): Promise<LargeCall[]> {
  const call = callerOf({ api, authorization })
  const { id, labelId } = await makeTask({ api, authorization }, 1)
  const attributes = [{ name: 'a', mutable: false, input_type: 'text', values: [] }]
  for (let from = 0; from < shown; from += 1500) {
    const labels = Array.from({ length: 1500 }, (_, n) => ({
      name: `label ${from + n}`,
      attributes,
    }))
    await call('POST', '/projects', JSON.stringify({ name: 'labels', labels }))
  }
  return [...annotationCalls(`/tasks/${id}/annotations`, labelId), ...recordCalls()]
}

function annotationCalls(path: string, labelId: number): LargeCall[] {
  const shape = `"frame":0,"label_id":${labelId},"type"`
  const rectangle = `${shape}:"rectangle","points":[1,2,3,4]`
  const put = (start: string, item: string, count: number, end: string) => [
    { method: 'PUT', path, repeated: { start, item, count, end } },
  ]
  const keyframe = '{"type":"rectangle","frame":0,"points":[1,2,3,4]}'
  return [
    {
      what: 'a mask of 10,000,000 runs',
      script: put(`{"shapes":[{${shape}:"mask","points":[`, '1', 10_000_000, ']}]}'),
    },
    {
      what: '1,000,001 objects',
      script: put('{"shapes":[', `{${rectangle}}`, 1_000_001, ']}'),
    },
    {
      what: '1,000,000 attributes of one shape',
      script: put(`{"shapes":[{${rectangle},"attributes":[`, '{}', 1_000_000, ']}]}'),
    },
    {
      what: 'a track of 200,000 shapes',
      script: put(
        `{"tracks":[{"frame":0,"label_id":${labelId},"shapes":[`,
        keyframe,
        200_000,
        ']}]}',
      ),
    },
    {
      what: 'PUT and DELETE of 100,000 objects',
      script: [...put('{"shapes":[', `{${rectangle}}`, 100_000, ']}'), { method: 'DELETE', path }],
    },
  ]
}

function recordCalls(): LargeCall[] {
  const post = (start: string, item: string, count: number, end: string) => [
    { method: 'POST', path: '/projects', repeated: { start, item, count, end } },
  ]
  const attribute = '{"name":"a","mutable":false,"input_type":"text","values":[]}'
  const keys = Array.from({ length: 180_000 }, (_, n) => `"${n.toString(36)}":1`).join()
  return [
    {
      what: `${shown} labels by page_size=all`,
      script: [{ path: '/labels?page_size=all' }],
    },
    {
      what: '900,000 numbers instead of labels',
      script: post('{"name":"x","labels":[', '1', 900_000, ']}'),
    },
    {
      what: '190,000 numbers instead of labels',
      script: post('{"name":"x","labels":[', '1', 190_000, ']}'),
    },
    { what: '180,000 unknown keys', script: post('{"name":"x",', keys, 1, '}') },
    {
      what: `${shown} labels of the same name`,
      script: post(
        '{"name":"x","labels":[',
        `{"name":"a","attributes":[${attribute}]}`,
        shown,
        ']}',
      ),
    },
  ]
}
