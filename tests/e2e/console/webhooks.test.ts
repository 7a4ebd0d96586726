import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { executablePath, visitsOf } from '../../support/browser.ts'
import type { AnyJson } from '../../support/client.ts'
import { eventsIn, type Listener, startListener } from '../../support/listener.ts'
import { useOwnServer } from '../../support/test-server.ts'

const xss = '<img src=x onerror=alert(1)>'

describe.skipIf(!executablePath)('webhooks in the console', () => {
  const reticle = useOwnServer()
  const visit = visitsOf(reticle)
  let listener: Listener
  let project: AnyJson

  beforeAll(async () => {
    listener = await startListener()
    const labels = [{ name: 'car' }]
    project = await reticle.admin.done('POST', '/projects', { json: { name: xss, labels } })
  })
  afterAll(async () => {
    await listener?.close()
  })

  const change = (name: string) =>
    reticle.admin.done('PATCH', `/projects/${project.id}`, { json: { name } })
  const hasReceived = (name: string, count: number) =>
    expect.poll(() => listener.listReceived(name).length, { timeout: 60_000 }).toBe(count)
  const numberOf = (page: Page) => Number(new URL(page.url()).pathname.split('/').at(-1))

  test('a webhook is created, pinged, deactivated, activated and edited', async () => {
    const { page, look, complaints, close } = await visit()
    await page.goto('/webhooks')
    await page.getByText('There are no webhooks here').waitFor()
    await look('webhooks-empty')
    await page.getByRole('button', { name: 'New webhook' }).click()
    await page.getByLabel('Project', { exact: true }).fill(String(project.id))
    await page.getByLabel('Receiver address').fill(`${listener.url}/first`)
    await page.getByLabel('Description').fill(xss)
    await page.getByRole('group', { name: 'project' }).getByLabel('update').check()
    await page.getByText(/Events \(1 of \d+\)/).waitFor()
    expect(await page.getByLabel('Secret').inputValue()).toMatch(/^[0-9a-f]{64}$/)
    await look('webhook-new')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: `${listener.url}/first` }).waitFor()

    await page.getByRole('button', { name: 'Ping' }).click()
    await page.getByRole('heading', { name: 'Result of the ping' }).waitFor()
    await page.getByText('"event": "ping"').waitFor()
    await look('webhook-ping')
    await page.getByRole('button', { name: 'Close' }).click()
    expect(eventsIn(listener.listReceived('first'))).toEqual(['ping'])

    await page.getByRole('button', { name: 'Switch off' }).click()
    await page.getByText('switched off').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Switch off' }).waitFor()

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Description').fill('starts the build')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('starts the build').waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  test('deliveries are shown and sent again, and messages are listed by their numbers', async () => {
    const events = ['update:project']
    const { id } = await listener.ofProject(reticle.admin, 'second', project.id, events)
    await change(`${xss} again`)
    await hasReceived('second', 1)
    const { page, look, complaints, close } = await visit()
    await page.goto(`/webhooks/${id}`)
    await page.getByRole('button', { name: 'update:project (delivery' }).click()
    await page.getByText(`"name": "${xss} again"`).waitFor()
    await look('webhook-delivery')
    await page.getByRole('button', { name: 'Send it again' }).click()
    await page.getByText('update:project is sent again').waitFor()
    await hasReceived('second', 2)

    await page.getByRole('button', { name: 'Messages' }).click()
    await page.getByRole('button', { name: 'update:project (message 1)' }).waitFor()
    await page.getByText('Send messages again').click()
    await page.getByLabel('From number').fill('1')
    await page.getByLabel('To number').fill('1')
    await look('webhook-messages')
    await page.getByRole('button', { name: 'Send these' }).click()
    await page.getByText('Messages sent again: 1').waitFor()
    await hasReceived('second', 3)
    expect(
      new Set(listener.listReceived('second').map(({ webhook_sequence }) => webhook_sequence)),
    ).toEqual(new Set([1]))
    expect(await page.locator('img[src=x]').count()).toBe(0)
    expect(complaints).toEqual([])
    await close()
  })

  test('the secret is rotated and shown once, and the webhook is deleted after typing a word', async () => {
    const { page, look, complaints, close } = await visit()
    await page.goto(`/webhooks?project_id=${project.id}`)
    await page.getByRole('link', { name: `${listener.url}/first` }).click()
    await page.getByRole('button', { name: 'Rotate the secret' }).click()
    await page.getByLabel('Hours for which').fill('2')
    await page.getByRole('button', { name: 'Create a new secret' }).click()
    const shown = page.getByLabel('New secret')
    expect(await shown.inputValue()).toMatch(/^[0-9a-f]{64}$/)
    await look('webhook-secret')
    await page.getByRole('button', { name: 'Close' }).click()
    await shown.waitFor({ state: 'detached' })

    const id = numberOf(page)
    await page.getByRole('button', { name: 'Delete' }).click()
    const confirm = page.getByRole('button', { name: 'Delete the webhook' })
    expect(await confirm.isDisabled()).toBe(true)
    await page.getByLabel(/Type “/).fill(new URL(listener.url).host)
    await look('webhook-delete')
    await confirm.click()
    await page.getByRole('table', { name: 'Webhooks' }).waitFor()
    expect((await reticle.admin.call('GET', `/webhooks/${id}`)).status).toBe(404)
    expect(complaints).toEqual([])
    await close()
  })

  test('the pages of webhooks fit a narrow window and dark colours', async () => {
    const options = { width: 360, height: 700, colorScheme: 'dark' } as const
    const { page, look, complaints, close } = await visit(options)
    await page.goto('/webhooks')
    await page.getByRole('link', { name: `${listener.url}/second` }).waitFor()
    await look('webhooks-narrow-dark')
    await page.getByRole('link', { name: `${listener.url}/second` }).click()
    await page.getByRole('table', { name: 'Deliveries' }).waitFor()
    await look('webhook-narrow-dark')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    expect(complaints).toEqual([])
    await close()
  })
})
