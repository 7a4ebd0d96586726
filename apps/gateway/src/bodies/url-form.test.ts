import { projectRecord } from '@reticle/contracts/testing/records'
import { beforeEach, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'

/** Bodies in the encoding of `requests.post(url, data=...)`, which scripts for CVAT use, below the mount. */

let bodies: unknown[] = []
beforeEach(() => {
  bodies = []
})
const { send } = await startTestGateway({
  services: {
    projects: {
      async createProject({ body }) {
        bodies.push(body)
        return projectRecord({ name: body.name })
      },
    },
    requests: {
      async openUpload() {
        return { upload_id: 'u1', prefix: 'uploads/u1/' }
      },
      async startDataPreparation({ body }) {
        bodies.push(body)
        return { rq_id: 'action=create&target=task&target_id=12' }
      },
    },
  },
})

const type = { 'content-type': 'application/x-www-form-urlencoded' }
const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  send(path, { method: 'POST', body, headers: { ...type, ...headers } })
const projects = '/as/cvat/api/projects'

test('fields are the members of the body', async () => {
  expect((await post(projects, 'name=A+%26+B')).status).toBe(201)
  expect(bodies).toMatchObject([{ name: 'A & B' }])
})

test('parameters of media are read like in a multipart form', async () => {
  const sent =
    'image_quality=70&use_cache=True&remote_files[1]=https://b.org&remote_files[0]=https://a.org'
  expect((await post('/as/cvat/api/tasks/12/data', sent)).status).toBe(202)
  const parameters = { image_quality: 70, remote_files: ['https://a.org', 'https://b.org'] }
  expect(bodies).toMatchObject([{ task_id: 12, files: [], parameters }])
})

test.each([
  ['a field that is given twice', 'name=a&name=b', 400],
  ['a name that is none', '__proto__=a', 400],
  ['a null character', 'name=%00', 400],
])('%s is refused', async (_what, body, status) => {
  expect((await post(projects, body)).status).toBe(status)
  expect(bodies).toEqual([])
})

test('the encoding is refused in the native API, from browser pages and for annotation sets', async () => {
  const attempts = [
    post('/api/projects', 'name=a'),
    post(projects, 'name=a', { origin: 'https://elsewhere.example.org' }),
    send('/as/cvat/api/tasks/12/annotations', { method: 'PUT', body: 'a=1', headers: type }),
  ]
  for (const { status } of await Promise.all(attempts)) expect(status).toBe(415)
  expect(bodies).toEqual([])
})
