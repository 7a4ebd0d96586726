import { beforeAll, describe, expect, test } from 'vitest'
import { executablePath, visitsOf } from '../../support/browser.ts'
import type { AnyJson } from '../../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../../support/factories.ts'
import type { ServerUnderTest } from '../../support/reticle.ts'
import { useTestServer } from '../../support/test-server.ts'

/** Markup in every text that a user may write. It must stay text on every page that shows it. */

const hostile = '<img src=//evil.example/x onerror=alert(1)>'
const short = '<svg onload=alert(1)>'

describe.skipIf(!executablePath)('texts of users in the console', () => {
  const reticle = useTestServer()
  const visit = visitsOf(reticle)
  let pages: Record<string, string>

  beforeAll(async () => {
    pages = await plant(reticle)
  })

  test('hostile markup stays text on every page', async () => {
    const { page, complaints, close } = await visit()
    const alerts: string[] = []
    page.on('dialog', (dialog) => {
      alerts.push(dialog.message())
      void dialog.dismiss()
    })
    for (const [path, text] of Object.entries(pages)) {
      await page.goto(path)
      await expect
        .poll(
          () =>
            page.evaluate(
              `document.body.innerText + [...document.querySelectorAll('input, textarea')].map((one) => one.value).join(' ')`,
            ),
          { message: path },
        )
        .toContain(text)
      expect(await page.locator('img[src*="evil"], svg[onload]').count(), path).toBe(0)
    }
    expect(alerts).toEqual([])
    expect(complaints).toEqual([])
    await close()
  })
})

/**
 * Writes the markup to every text field of the interface.
 * @returns the pages, with a text that each of them shows
 */
async function plant({ admin }: ServerUnderTest): Promise<Record<string, string>> {
  const post = (path: string, json: object): Promise<AnyJson> => admin.done('POST', path, { json })
  const attribute = {
    ...{ name: short, mutable: true, input_type: 'text' },
    ...{ default_value: short, values: [short] },
  }
  const labels = [{ name: short, attributes: [attribute] }]
  const project = await post('/projects', { name: hostile, labels, bug_tracker: '' })
  await post('/guides', { project_id: project.id, markdown: hostile })
  const { id } = await taskWithMedia(admin, { labels })
  const task = await admin.done('PATCH', `/tasks/${id}`, { json: { name: hostile } })
  const [label] = (await admin.done('GET', `/labels?task_id=${task.id}`)).results
  const [job] = await jobsOf(admin, task.id)
  const shape = {
    ...rectangle(label.id),
    attributes: [{ spec_id: label.attributes[0].id, value: short }],
  }
  await admin.done('PUT', `/jobs/${job.id}/annotations/`, { json: { shapes: [shape] } })
  const issue = { job: job.id, frame: 0, position: [1, 1, 9, 9], message: hostile }
  await post('/issues', issue)
  await post('/organizations', { slug: 'acme', name: hostile, description: hostile })
  await post('/auth/access_tokens', { name: hostile })
  const hook = { type: 'project', project_id: project.id, events: 'update:project' }
  const target_url = 'http://127.0.0.1:9/'
  const webhook = await post('/webhooks', { ...hook, target_url, description: hostile })
  const organization = (await admin.done('GET', '/organizations')).results[0]
  return {
    '/projects': hostile,
    [`/projects/${project.id}`]: short,
    [`/projects/${project.id}/guide`]: hostile,
    [`/projects/${project.id}/statistics`]: hostile,
    '/tasks': hostile,
    [`/tasks/${task.id}`]: hostile,
    [`/tasks/${task.id}/jobs`]: hostile,
    [`/tasks/${task.id}/history`]: hostile,
    [`/tasks/${task.id}/statistics`]: short,
    [`/tasks/${task.id}/issues`]: hostile,
    [`/tasks/${task.id}/frames/0`]: short,
    '/jobs': hostile,
    [`/jobs/${job.id}`]: hostile,
    '/people': hostile,
    [`/people/organizations/${organization.id}`]: hostile,
    '/tokens': hostile,
    '/webhooks': target_url,
    [`/webhooks/${webhook.id}`]: hostile,
  }
}
