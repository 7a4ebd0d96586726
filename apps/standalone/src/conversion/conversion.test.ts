import { once } from 'node:events'
import { constants, getPriority } from 'node:os'
import { silentLog } from '@reticle/kit/observe/log'
import { expect, test } from 'vitest'
import { forkConversion, startConversion } from './conversion.ts'

test('a conversion process that died before its first message is not waited for', async () => {
  const dead = forkConversion()
  dead.kill('SIGKILL')
  await once(dead, 'exit')
  const urls = { projects: '', annotations: '', requests: '', webhooks: '', bus: '' }
  const objects = { folder: '', s3: undefined }
  const wiring = {
    urls,
    objects,
    env: {},
    log: { level: 'silent', format: 'json' },
    traces: undefined,
  } as const
  const ports = { log: silentLog, endLeases: async () => {} }
  // The sources contain no built worker, so the replacement process exits too.
  const starting = startConversion(dead, { urls, wiring }, ports)
  await expect(starting).rejects.toThrow('the conversion process did not start')
})

test('the conversion process runs at a lower priority than calls', async () => {
  const worker = forkConversion()
  expect(getPriority(worker.pid)).toBe(constants.priority.PRIORITY_BELOW_NORMAL)
  worker.kill('SIGKILL')
  await once(worker, 'exit')
})
