import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { storedZip } from '../../support/archives.ts'
import { executablePath, visitsOf } from '../../support/browser.ts'
import type { AnyJson } from '../../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../../support/factories.ts'
import { longAgo } from '../../support/past.ts'
import { createImage, createImages } from '../../support/pictures.ts'
import { useTestServer } from '../../support/test-server.ts'

/** Pages of a task: `/tasks/:id` and its tabs, `/jobs/:id`, statistics, guides. */

/** Would open a dialog, send a request or change the page if it was rendered as HTML. */
const attack = '<img src=//x.test/x onerror=alert(1)><script>alert(2)</script>'
/** The same without characters that a file name cannot contain. */
const fileAttack = '<img src=x onerror=alert(3)>.png'

const hostileGuide = [
  '# Guide',
  '**Draw** [the rules](https://example.com/rules) and [run](javascript:alert(4)).',
  '![elsewhere](https://example.com/pixel.png)',
  '<img src=x onerror=alert(5)><script>alert(6)</script>',
  '<iframe src="https://example.com"></iframe><form action="https://example.com"><input></form>',
  '<a href="#" onclick="alert(7)" style="position:fixed;inset:0">over all</a>',
  '<svg><animate onbegin=alert(8) attributeName=x></svg><video src="https://example.com/v"></video>',
].join('\n\n')

const frames = 4000

describe.skipIf(!executablePath)('pages of a task in the console', () => {
  const reticle = useTestServer()
  const visit = visitsOf(reticle)

  /** Creates a task of two jobs, one with annotations in two revisions. */
  async function setUp(given: AnyJson = {}) {
    const task = await taskWithMedia(reticle.admin, {
      ...{ files: await createImages(6), segment_size: 3 },
      labels: [{ name: 'car' }, { name: 'bus' }],
      ...given,
    })
    const [job] = await jobsOf(reticle.admin, task.id)
    const { results: labels } = await reticle.admin.done('GET', `/labels?task_id=${task.id}`)
    const path = `/jobs/${job.id}/annotations/`
    const create = (shapes: AnyJson[]) =>
      reticle.admin.done('PATCH', `${path}?action=create`, { json: { shapes } })
    const objects = await create([rectangle(labels[0].id), rectangle(labels[1].id, 1)])
    return { task, job, labels, create, objects, set: () => reticle.admin.done('GET', path) }
  }

  /** Opens a page, and checks that it never opens a dialog. */
  async function open(path: string, options = {}) {
    const visited = await visit(options)
    visited.page.on('dialog', (dialog) => {
      visited.complaints.push(`a dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    await visited.page.goto(path)
    return visited
  }

  test('frames are shown as thumbnails that lead to the viewer', async () => {
    const { task } = await setUp()
    const { page, look, complaints, close } = await open(`/tasks/${task.id}`)
    await page.getByRole('heading', { name: 'a task' }).waitFor()
    await expect.poll(() => loaded(page, '.frames img')).toBe(6)
    expect(await page.getByRole('link', { name: 'Frame 5' }).getAttribute('href')).toBe(
      `/tasks/${task.id}/frames/5`,
    )
    await look('task-frames')

    await page.getByRole('link', { name: 'Frame 0' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    expect(await page.evaluate('document.activeElement.textContent')).toContain('2')

    await page.getByLabel('Search file names').fill('frame-003')
    await page.getByText('1 found').waitFor()
    await page.getByText('frame-003.png').waitFor()
    await look('task-frames-found')
    await page.getByLabel('Search file names').fill('nothing like it')
    await page.getByText('No frame has a file name with').waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  test('frames of a very large task are loaded only as far as they are scrolled to', async () => {
    const { bytes } = await createImage('frame', 16, 12)
    const members = Array.from({ length: frames }, (_, at) => ({ name: `${at}.png`, bytes }))
    const files = [{ name: 'frames.zip', bytes: storedZip(members) }]
    const task = await taskWithMedia(reticle.admin, { files })
    const { page, complaints, close } = await open('/projects')
    const requested: string[] = []
    page.on('request', (request) => void requested.push(request.url()))
    await page.goto(`/tasks/${task.id}`)
    await page.getByRole('link', { name: 'Frame 0' }).waitFor()

    await page.evaluate(flight)
    const last = page.getByRole('link', { name: `Frame ${frames - 1}` })
    await last.waitFor()
    await expect.poll(() => loaded(page, `[data-index="${frames - 1}"] img`)).toBe(1)
    expect(requested.filter((url) => url.includes('/data/meta'))).toEqual([])
    expect(requested.length).toBeLessThan(frames / 4)
    expect(await page.getByRole('listitem').count()).toBeLessThan(200)

    await page.getByRole('spinbutton', { name: 'Frame' }).fill('2000')
    await page.getByRole('button', { name: 'Go' }).click()
    await page.getByRole('link', { name: 'Frame 2000' }).waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toContain('2000')
    expect(complaints).toEqual([])
    await close()
  })

  test('jobs are changed in the list, and back again', async () => {
    const { task, job } = await setUp()
    const { page, look, complaints, close } = await open(`/tasks/${task.id}/jobs`)
    await page.getByLabel(`stage of job ${job.id}`).selectOption('validation')
    await page.getByText(`The stage of job ${job.id} is “validation”`).waitFor()
    await page.getByRole('button', { name: `Assignee of job ${job.id}` }).click()
    await page.getByLabel('Search people').fill('adm')
    await look('task-jobs-assignee')
    await page.getByRole('button', { name: 'admin', exact: true }).click()
    await page.getByText(`Job ${job.id} was assigned to admin`).waitFor()
    await look('task-jobs')
    const there = await reticle.admin.done('GET', `/jobs/${job.id}`)
    expect([there.stage, there.assignee?.username]).toEqual(['validation', 'admin'])

    await page.getByRole('button', { name: 'Undo' }).last().click()
    await expect
      .poll(async () => (await reticle.admin.done('GET', `/jobs/${job.id}`)).assignee)
      .toBeNull()
    expect(complaints).toEqual([])
    await close()
  })

  test('a job has its own page', async () => {
    const { job } = await setUp()
    const { page, look, complaints, close } = await open(`/jobs/${job.id}`)
    await page.getByRole('link', { name: 'Frame 2' }).waitFor()
    expect(await page.getByRole('list', { name: 'Frames' }).getByRole('listitem').count()).toBe(3)
    await look('job-frames')
    await page.getByRole('link', { name: 'History' }).click()
    await page.getByRole('button', { name: /^Changes of/ }).waitFor()
    await page.getByRole('link', { name: 'Statistics' }).click()
    await page.getByText('Objects by label and kind').waitFor()
    await page.getByRole('link', { name: 'Issues' }).click()
    await page.getByText('No issue was raised').waitFor()
    await look('job-issues-empty')
    expect(complaints).toEqual([])
    await close()
  })

  test('history shows changes, and restores a revision unless the set has changed meanwhile', async () => {
    const { task, job, labels, create, set } = await setUp()
    await create([rectangle(labels[0].id, 2)])
    const { page, look, complaints, close } = await open(`/tasks/${task.id}/history`)
    await page.getByRole('button', { name: `Changes of revision 2 of job ${job.id}` }).click()
    await page.getByText('created rectangle car on frame 2').waitFor()
    await look('task-changes')
    await page.getByRole('button', { name: 'Close' }).click()
    await look('task-history')

    await page.getByRole('button', { name: `Restore revision 1 of job ${job.id}` }).click()
    await look('task-restore')
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    await page.getByText(`Job ${job.id} was restored to revision 1`).waitFor()
    expect((await set()).shapes).toHaveLength(2)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(async () => (await set()).shapes.length).toBe(3)
    await page.getByRole('button', { name: `Changes of revision 4 of job ${job.id}` }).waitFor()
    expect(complaints).toEqual([])

    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const pattern = new RegExp(`/jobs/${job.id}/annotations/([?]|$)`)
    await page.route(pattern, (route) => released.then(() => route.continue()))
    const request = page.waitForRequest(pattern)
    await page.getByRole('button', { name: `Restore revision 2 of job ${job.id}` }).click()
    await request
    expect(await page.getByText('This reverts the changes').count()).toBe(0) // the previous dialog leaves nothing behind
    release()
    await page.getByText('This reverts the changes').waitFor()
    await create([rectangle(labels[0].id, 1)]) // a change of another user in the meantime
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    await page.getByText('Annotations were changed by someone else').waitFor()
    expect((await set()).shapes).toHaveLength(4)
    await close()
  })

  test('statistics are plots that can be read as tables', async () => {
    const { task } = await setUp()
    const { page, look, complaints, close } = await open(`/tasks/${task.id}/statistics`)
    await page.getByRole('row', { name: 'car 1' }).waitFor()
    await page.getByRole('row', { name: 'bus 1' }).waitFor()
    await page.getByRole('row', { name: '6 in all 2 4 0' }).waitFor()
    await page.getByRole('row', { name: 'admin 2 0 0' }).waitFor()
    await look('task-statistics')
    expect(complaints).toEqual([])
    await close()
  })

  test('issues are discussed, resolved and reopened', async () => {
    const { task, job } = await setUp()
    const json = { job: job.id, frame: 1, position: [1, 1, 9, 9], message: 'too large' }
    const { id } = await reticle.admin.done('POST', '/issues', { json })
    const { page, look, complaints, close } = await open(`/tasks/${task.id}/issues`)
    await page.getByRole('button', { name: 'too large' }).click()
    await page.getByLabel('Comment', { exact: true }).fill('it is a bus')
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    await page.getByRole('list', { name: 'Comments' }).getByText('it is a bus').waitFor()
    await look('task-issue')
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: `Resolve issue ${id}` }).click()
    await page.getByText(`Issue ${id} is resolved`).waitFor()
    await look('task-issues')
    expect((await reticle.admin.done('GET', `/issues/${id}`)).resolved).toBe(true)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: `Resolve issue ${id}` }).waitFor()
    await page.getByLabel('State').selectOption('resolved')
    await page.getByText('No issue is in this state').waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  test('a guide is written with an image and rendered', async () => {
    const { task } = await setUp()
    const { page, look, complaints, close } = await open(`/tasks/${task.id}/guide`)
    await page.getByText('There is no guide').waitFor()
    await look('task-guide-empty')
    await page.getByRole('button', { name: 'Write a guide' }).click()
    await page.getByLabel('Markdown').fill('# Cars\n\nDraw *every* car.\n\n')
    const { bytes } = await createImage('mirror.png', 40, 30)
    const file = { name: 'mirror.png', mimeType: 'image/png', buffer: Buffer.from(bytes) }
    await page.getByLabel('Picture file').setInputFiles(file)
    await page.getByRole('img', { name: 'mirror.png' }).waitFor()
    await look('task-guide-editor')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The guide is saved').waitFor()
    await page.getByRole('heading', { name: 'Cars' }).waitFor()
    await expect.poll(() => loaded(page, '.guide img')).toBe(1)
    await look('task-guide')
    expect(complaints).toEqual([])
    await close()
  })

  test('markup in names, issues and guides stays text', async () => {
    const { task, job } = await setUp({
      labels: [{ name: attack }, { name: 'bus' }],
      files: [
        { ...(await createImage('x', 20, 20)), name: fileAttack },
        ...(await createImages(3)),
      ],
    })
    await reticle.admin.done('PATCH', `/tasks/${task.id}`, { json: { name: attack } })
    const issue = { job: job.id, frame: 0, position: [1, 1, 9, 9], message: attack }
    await reticle.admin.done('POST', '/issues', { json: issue })
    const guide = { task_id: task.id, markdown: hostileGuide }
    await reticle.admin.done('POST', '/guides', { json: guide })

    const { page, look, complaints, close } = await open(`/tasks/${task.id}?search=onerror`)
    await page.getByRole('heading', { name: attack }).waitFor()
    await page.getByText(fileAttack).waitFor()
    await look('task-hostile')
    await page.goto(`/tasks/${task.id}/statistics`)
    await page.getByRole('rowheader', { name: attack }).waitFor()
    await page.goto(`/tasks/${task.id}/history`)
    await page.getByRole('button', { name: /^Changes of/ }).click()
    await page.getByText(`created rectangle ${attack}`).waitFor()
    await page.goto(`/tasks/${task.id}/issues`)
    await page.getByRole('button', { name: attack }).click()
    await page.getByRole('list', { name: 'Comments' }).getByText(attack).waitFor()
    await page.goto(`/tasks/${task.id}/guide`)
    await page.getByRole('heading', { name: 'Guide', exact: true }).waitFor()
    await look('task-guide-hostile')
    await page.getByText('<script>alert(6)</script>').waitFor()
    const made = 'script, iframe, form, input, svg, video, img, [onerror], [onclick], [style]'
    expect(await page.locator('.guide').locator(made).count()).toBe(0)
    expect(await page.locator('.guide a[href^=javascript]').count()).toBe(0)
    const rules = page.getByRole('link', { name: 'the rules' })
    expect(await rules.getAttribute('rel')).toBe('noopener noreferrer')
    expect(complaints).toEqual([])
    await close()
  })

  test('a project sums up its tasks, and has one guide for all of them', async () => {
    const json = { name: 'Streets', labels: [{ name: 'tram' }] }
    const project = await reticle.admin.done('POST', '/projects', { json })
    await taskWithMedia(reticle.admin, { project_id: project.id })
    const { page, look, complaints, close } = await open(`/projects/${project.id}/statistics`)
    await page.getByText('There are no annotations to count yet').waitFor()
    await look('project-statistics-empty')
    const guide = { project_id: project.id, markdown: 'Draw *every* tram.' }
    await reticle.admin.done('POST', '/guides', { json: guide })
    await page.goto(`/projects/${project.id}/guide`)
    await page.getByText('Draw every tram.').waitFor()
    await look('project-guide')
    expect(complaints).toEqual([])
    await close()
  })

  test('a revision whose data was dropped is reported as such', async () => {
    const { task, job, labels, create } = await setUp()
    await create([rectangle(labels[0].id, 2)])
    const { page, look, close } = await open(`/tasks/${task.id}/history`)
    await page.getByRole('button', { name: `Restore revision 1 of job ${job.id}` }).click()
    await page.getByRole('button', { name: 'Restore', exact: true }).waitFor()
    await forget(job.id, 1)
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    await page.getByText('The annotations of this revision have been deleted').waitFor()
    expect(await page.getByRole('button', { name: 'Restore', exact: true }).isDisabled()).toBe(true)
    await look('task-restore-deleted')
    await close()
  })

  /** Drops the data of a revision, as the sweep does after the days for which history is kept. */
  async function forget(job: number, revision: number) {
    const statement = `update annotations.revisions set is_readable = false where job_id = $1 and revision = $2`
    await longAgo(await reticle.people(), statement, [job, revision])
  }

  test('the pages of a task fit a narrow window and dark colours', async () => {
    const { task } = await setUp()
    const night = await open(`/tasks/${task.id}/statistics`, { colorScheme: 'dark' })
    await night.page.getByText('Objects by label and kind').waitFor()
    await night.look('task-statistics-dark')
    await night.close()
    const small = await open(`/tasks/${task.id}`, { width: 360 })
    for (const tab of ['', '/jobs', '/history', '/statistics', '/issues', '/guide']) {
      await small.page.goto(`/tasks/${task.id}${tab}`)
      await small.page.getByRole('heading', { name: 'a task' }).waitFor()
      await small.page.waitForLoadState('networkidle')
      await small.look(`task-360${tab.replace('/', '-')}`)
      const width = await small.page.evaluate('document.documentElement.scrollWidth')
      expect([tab, width]).toEqual([tab, 360])
    }
    expect([...night.complaints, ...small.complaints]).toEqual([])
    await small.close()
  })
})

/** Scrolls to the end, faster than a person can read. */
const flight = `new Promise((resolve) => {
  const step = () => {
    window.scrollBy(0, document.documentElement.scrollHeight / 40)
    const isThere = window.scrollY + window.innerHeight >= document.documentElement.scrollHeight - 1
    if (isThere) resolve()
    else requestAnimationFrame(step)
  }
  step()
})`

/** Number of images that have loaded. */
const loaded = (page: Page, selector: string) =>
  page.evaluate<number>(
    `[...document.querySelectorAll('${selector}')].filter((one) => one.naturalWidth > 0).length`,
  )
