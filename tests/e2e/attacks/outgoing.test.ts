import { expect, test } from 'vitest'
import type { ApiResponse } from '../../support/client.ts'
import { createUserFactory } from '../../support/people.ts'
import { useOwnServer } from '../../support/test-server.ts'

/**
 * The metadata service of a cloud gives out the credentials of the machine. The server must never connect to it, for
 * any user or administrator, any spelling of its address and any list of allowed networks.
 */

const everything = '0.0.0.0/0,::/0'
const reticle = useOwnServer({
  RETICLE_WEBHOOKS_ALLOWED_NETS: everything,
  RETICLE_JOBS_ALLOWED_NETS: everything,
  RETICLE_STORAGES_ALLOWED_NETS: everything,
  RETICLE_WEBHOOKS_ALLOW_HTTP: 'true',
})
const { newPerson } = createUserFactory(() => reticle)

/** Spellings of 169.254.169.254 and of other addresses of metadata services. */
const hosts = [
  ...['169.254.169.254', '2852039166', '0xA9FEA9FE', '0xa9.0xfe.0xa9.0xfe', '025177524776'],
  ...['0251.0376.0251.0376', '169.254.43518', '169.16689662', '169.254.169.254.'],
  ...['①⑥⑨.②⑤④.①⑥⑨.②⑤④', '169。254。169。254', '%31%36%39.254.169.254', '169.254.169.254:80'],
  ...['[::ffff:169.254.169.254]', '[0:0:0:0:0:ffff:a9fe:a9fe]', '[::ffff:0:169.254.169.254]'],
  ...['[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::a9fe:a9fe]', '[2002:a9fe:a9fe::1]', '[fe80::a9fe:a9fe]'],
  ...['[fd00:ec2::254]', '[fd20:ce::254]', '[fd00:42::42]', '[2001:0:a9fe:a9fe::]'],
  ...['1684301000', '[::ffff:100.100.100.200]', '0xa83f8110', '3221225664', '169.254.170.2'],
  ...['metadata.google.internal.', 'METADATA.GOOGLE.INTERNAL', 'instance-data', 'metadata'],
  ...['user@169.254.169.254', '169.254.169.254#@example.org', '169.254.169.254\\@example.org'],
]

const storage = (host: string) => ({
  display_name: 'a',
  provider_type: 'AWS_S3_BUCKET',
  resource: 'bucket',
  credentials_type: 'KEY_SECRET_KEY_PAIR',
  key: 'a',
  secret_key: 'b',
  specific_attributes: `endpoint_url=${encodeURIComponent(`http://${host}/`)}`,
})

/** Checks the text of a refusal that needed no connection. */
function expectRefused(answer: ApiResponse, what: string): void {
  expect(answer.status, what).toBe(400)
  expect(answer.text, what).toMatch(/not allowed|not reachable|valid URL|may not hold/)
}

test('the server connects to no spelling of the address of a metadata service', async () => {
  const person = await newPerson()
  const { id: project_id } = await reticle.admin.done('POST', '/projects', { json: { name: 'p' } })
  const { id: task } = await reticle.admin.done('POST', '/tasks', {
    json: { name: 't', labels: [] },
  })
  for (const host of hosts) {
    const url = `http://${host}/latest/meta-data`
    for (const api of [person.api, reticle.admin])
      expectRefused(await api.call('POST', '/cloudstorages', { json: storage(host) }), host)
    const hook = { target_url: url, type: 'project', project_id, events: ['update:project'] }
    expectRefused(await reticle.admin.call('POST', '/webhooks', { json: hook }), host)
    const media = { remote_files: [`${url}/a.png`], image_quality: 70 }
    expectRefused(await reticle.admin.call('POST', `/tasks/${task}/data`, { json: media }), host)
  }
})

test('a webhook cannot be changed to the address of a metadata service', async () => {
  const { id: project_id } = await reticle.admin.done('POST', '/projects', { json: { name: 'p' } })
  const json = {
    target_url: 'https://example.org/hook',
    type: 'project',
    project_id,
    events: ['update:project'],
  }
  const { id } = await reticle.admin.done('POST', '/webhooks', { json })
  for (const host of hosts)
    expectRefused(
      await reticle.admin.call('PATCH', `/webhooks/${id}`, {
        json: { target_url: `http://${host}/` },
      }),
      host,
    )
})
