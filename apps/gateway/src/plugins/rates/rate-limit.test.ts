import { projectRecord } from '@reticle/contracts/testing/records'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { expect, test } from 'vitest'
import { startTestGateway, type TestResponse } from '../../testing/gateway.ts'

const services = {
  projects: {
    async getProject() {
      return projectRecord()
    },
  },
  identity: {
    async signIn() {
      return { key: 'x', session: 'y' }
    },
  },
  organizations: {
    async resendInvitation() {
      return undefined
    },
  },
  annotations: {
    async getJobAnnotations() {
      return { head: {}, chunks: bytesOf('{}') }
    },
    async getTaskAnnotations() {
      return { head: {}, chunks: bytesOf('{}') }
    },
  },
  requests: {
    async listRequests() {
      return { count: 0, results: [] }
    },
  },
}
const limits = { rateAnonymous: 3, rateAuth: 2, rateUser: 2 }
const body = { username: 'anna', password: 'x' }

async function times(count: number, call: () => Promise<TestResponse>): Promise<TestResponse[]> {
  const answers: TestResponse[] = []
  for (let made = 0; made < count; made++) answers.push(await call())
  return answers
}
const statuses = (answers: TestResponse[]) => answers.map(({ status }) => status)

test('anonymous calls are counted by address, and headers state the remaining number', async () => {
  const { send } = await startTestGateway({ services, settings: limits })
  const answers = await times(4, () => send('/api/server/about', { as: null }))

  expect(statuses(answers)).toEqual([200, 200, 200, 429])
  expect(answers[0]?.headers).toMatchObject({
    'x-ratelimit-limit': '3',
    'x-ratelimit-remaining': '2',
  })
  const { headers = {}, json } = answers[3] ?? {}
  const now = Date.now() / 1000
  expect(Number(headers['x-ratelimit-reset'])).toBeGreaterThan(now)
  expect(Number(headers['x-ratelimit-reset'])).toBeLessThanOrEqual(Math.ceil(now + 60))
  const seconds = Number(headers['retry-after'])
  expect(seconds).toBeGreaterThan(0)
  expect(headers['x-ratelimit-remaining']).toBe('0')
  expect(json?.()).toMatchObject({
    detail: `Request was throttled. Expected available in ${seconds} seconds.`,
    code: 'throttled',
  })
})

test('users have a limit each', async () => {
  const { send } = await startTestGateway({ services, settings: limits })
  const call = (as: string) => () => send('/api/projects/7', { as })
  expect(statuses(await times(3, call('anna')))).toEqual([200, 200, 429])
  expect(statuses(await times(2, call('bo')))).toEqual([200, 200])
})

test('signing in has a separate limit', async () => {
  const { send } = await startTestGateway({ services, settings: limits })
  const login = () => send('/api/auth/login', { method: 'POST', as: null, body })
  expect(statuses(await times(3, login))).toEqual([200, 200, 429])
  expect(statuses(await times(1, () => send('/api/server/about', { as: null })))).toEqual([200])
})

test('an administrator who creates accounts is counted as a user', async () => {
  const { send } = await startTestGateway({ services, settings: { ...limits, rateUser: 3 } })
  const login = (as: string) => () => send('/api/auth/login', { method: 'POST', as, body })
  expect(statuses(await times(4, login('boss')))).toEqual([200, 200, 200, 429])
  expect(statuses(await times(3, login('anna')))).toEqual([200, 200, 429])
})

test('polling is not counted up to ten calls a second', async () => {
  const { send } = await startTestGateway({ services, settings: limits })
  const answers = await Promise.all(Array.from({ length: 13 }, () => send('/api/requests')))
  expect(statuses(answers).toSorted()).toEqual([...Array(12).fill(200), 429])
})

test('one user can resend an invitation five times an hour', async () => {
  const { send } = await startTestGateway({ services, settings: { ...limits, rateUser: 0 } })
  const path = `/api/invitations/${'k'.repeat(64)}/resend`
  const resend = (as: string) => () => send(path, { method: 'POST', as })
  expect(statuses(await times(6, resend('anna')))).toEqual([204, 204, 204, 204, 204, 429])
  expect(statuses(await times(1, resend('bo')))).toEqual([204])
})

test('reading annotation sets has a separate limit if it is configured', async () => {
  const { send } = await startTestGateway({
    services,
    settings: { ...limits, rateUser: 5, rateAnnotations: 1 },
  })
  const read = () => send('/api/jobs/31/annotations')
  expect(statuses(await times(2, read))).toEqual([200, 429])
  expect(statuses(await times(1, () => send('/api/projects/7')))).toEqual([200])
  const off = await startTestGateway({ services, settings: { ...limits, rateAnnotations: 0 } })
  const answers = await times(3, () => off.send('/api/tasks/12/annotations/'))
  expect(statuses(answers)).toEqual([200, 200, 429])
})

test('health is not limited', async () => {
  const { send } = await startTestGateway({ services, settings: limits })
  const answers = await times(5, () => send('/api/server/health', { as: null }))
  expect(statuses(answers)).toEqual([200, 200, 200, 200, 200])
  expect(answers[0]?.headers['x-ratelimit-limit']).toBeUndefined()
})

test('without a limit no rate limit headers are sent', async () => {
  const { send } = await startTestGateway({ services, settings: { rateUser: 0 } })
  const { headers } = await send('/api/projects/7')
  expect(headers['x-ratelimit-limit']).toBeUndefined()
})
