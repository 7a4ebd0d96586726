import { expect } from 'vitest'
import { newTask } from './work.ts'
import type { SdkWorld } from './world.ts'

/** Causes one error of each kind. */

export async function checkRefusals(world: SdkWorld): Promise<void> {
  const { admin, anyone, as } = world
  const { project: id, task } = await newTask(world)
  const { value: token } = await admin.createAccessToken({ body: { name: 'r', read_only: true } })
  const body = { name: 'late' }
  const guide = { task_id: task, markdown: '# How' }
  const long = 'x'.repeat(3 * 1024 * 1024)
  const sentAs = (headers: Record<string, string>) => ({ headers })
  const calls: Record<number, () => Promise<unknown>> = {
    400: () => anyone.register({ body: { username: 'x', password1: 'y', password2: 'z' } }),
    401: () => anyone.getSelf(),
    403: () => as({ token }).createProject({ body }),
    404: () => admin.getProject({ id: 999_999_999 }),
    406: () => admin.respond('getProject', { id }, sentAs({ accept: 'text/html' })),
    409: async () => [
      await admin.createGuide({ body: guide }),
      await admin.createGuide({ body: guide }),
    ],
    412: () => admin.updateProject({ id, if_match: '"another"', body }),
    413: () => admin.createProject({ body: { name: long } }),
    415: () => admin.respond('createProject', { body }, sentAs({ 'content-type': 'text/csv' })),
    416: async () => {
      const { result_url } = await admin.follow(admin.exportEvents())
      const rq_id = new URL(result_url ?? '').searchParams.get('rq_id') ?? ''
      await admin.respond('downloadEvents', { rq_id }, sentAs({ range: 'bytes=999999999-' }))
    },
    429: async () => {
      for (;;) await admin.getTaskAnnotations({ id: task }, { retries: 0 })
    },
  }
  for (const [status, call] of Object.entries(calls))
    await expect(call(), status).rejects.toMatchObject({ status: Number(status) })
}
