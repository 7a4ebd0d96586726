import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { defineSettings } from '../settings/parts.ts'
import { runProgram } from './program.ts'

const parts = {
  database: defineSettings(
    z.object({ RETICLE_X_URL: z.string() }),
    ({ RETICLE_X_URL }) => RETICLE_X_URL,
  ),
  keys: defineSettings(
    z.object({ RETICLE_X_KEYS: z.string() }),
    ({ RETICLE_X_KEYS }) => RETICLE_X_KEYS,
  ),
}
const around = { service: 'x-svc', about: 'x', parts, graceMs: 1000, start: async () => {} }
const quiet = { RETICLE_LOG_LEVEL: 'silent' }

test('a command needs only the settings of the parts it reads', async () => {
  const seen: string[] = []
  const migrate = {
    about: 'migrates',
    reads: ['database'] as const,
    run: async ({ database }: { database: string }) => void seen.push(database),
  }
  const env = { ...quiet, RETICLE_X_URL: 'here' }
  const code = await runProgram({ ...around, env, commands: { migrate } }, ['migrate'])
  expect({ code, seen }).toEqual({ code: 0, seen: ['here'] })
})

test('a command that names no parts needs the settings of all', async () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const look = { about: 'looks', run: async () => {} }
  const env = { ...quiet, RETICLE_X_URL: 'here' }
  const code = await runProgram({ ...around, env, commands: { look } }, ['look'])
  expect({ code, text: said.mock.calls.join('') }).toMatchObject({
    code: 1,
    text: expect.stringContaining('RETICLE_X_KEYS'),
  })
  said.mockRestore()
})
