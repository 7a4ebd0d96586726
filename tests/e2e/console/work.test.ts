import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { executablePath, visitsOf } from '../../support/browser.ts'
import { createApiClient } from '../../support/client.ts'
import { taskWithMedia } from '../../support/factories.ts'
import { createBitmap, createImages, type ImageFile } from '../../support/pictures.ts'
import type { ServerUnderTest } from '../../support/reticle.ts'
import { password } from '../../support/reticle.ts'
import { useOwnServer } from '../../support/test-server.ts'

const hostile = '<img src=x onerror=alert(1)>'

describe.skipIf(!executablePath)('projects, tasks and jobs in the console', () => {
  const reticle = useOwnServer()
  const visit = visitsOf(reticle)

  /** Creates a folder of images on disk. */
  function folderOf(name: string, files: readonly ImageFile[]): string {
    const folder = join(reticle.path, name)
    mkdirSync(folder, { recursive: true })
    for (const file of files) writeFileSync(join(folder, file.name), file.bytes)
    return folder
  }

  function fileOf(name: string, bytes: Uint8Array): string {
    const path = join(reticle.path, name)
    writeFileSync(path, bytes)
    return path
  }

  async function projectWith(...names: string[]) {
    const labels = names.map((name) => ({ name }))
    return reticle.admin.done('POST', '/projects', { json: { name: 'Streets', labels } })
  }

  test('a dropped folder becomes a task in a few clicks after signing in', async () => {
    const { page, look, complaints, close } = await visit({ as: null })
    await page.goto('/')
    await page.getByLabel('Username').fill('admin')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('There is no project here').waitFor()
    await look('projects-first')
    await page.getByRole('link', { name: 'Create a task from images' }).click()

    await page.getByText('Drop a folder or files here').waitFor()
    await look('new-task-empty')
    await drop(page, folderOf('monday', await createImages(5)))
    await page.getByText('5 files').waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('monday')
    await page.getByLabel('Add labels').fill('car')
    await look('new-task')
    await page.getByRole('button', { name: 'Create the task' }).click()

    await page.waitForURL(/\/tasks\/\d+$/)
    const { results } = await reticle.admin.done('GET', '/tasks?name=monday')
    expect(results).toMatchObject([{ size: 5, labels: [{ name: 'car' }] }])
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]) // the first read of the user is answered 401
    await close()
  })

  test('a project is created with labels, and an invalid label shows its error beside it', async () => {
    const { page, look, complaints, close } = await visit()
    await page.goto('/projects/new')
    await page.getByLabel('Name', { exact: true }).fill(hostile)
    await page.getByLabel('Add labels').fill('car')
    await page.getByLabel('Add labels').press('Enter')
    await page.getByLabel('Add labels').fill('lamp')
    await page.getByLabel('Add labels').press('Enter')
    const lamp = page.getByRole('listitem').filter({ has: page.getByLabel('Name of lamp') })
    await lamp.getByText('Attributes').click()
    await lamp.getByRole('button', { name: 'Add an attribute' }).click()
    await lamp.getByLabel('Name of the attribute').fill('state')
    await page.getByRole('button', { name: 'Create the project' }).click()
    await page.getByRole('alert').waitFor() // a select attribute without options
    await expect.poll(() => lamp.locator('.wrong').count()).toBe(1)
    await look('new-project')

    await lamp.getByLabel('Values of state').fill('on\noff')
    await lamp.getByLabel('Colour of lamp').fill('#112233')
    await page.getByRole('button', { name: 'Create the project' }).click()
    await page.getByRole('heading', { name: hostile }).waitFor()
    await look('project')
    const { results } = await reticle.admin.done('GET', '/labels?name=lamp')
    const attributes = [{ name: 'state', values: ['on', 'off'] }]
    expect(results).toMatchObject([{ color: '#112233', attributes }])
    expect(complaints.filter((text) => !text.includes('400'))).toEqual([])
    await close()
  })

  test('a skeleton is pasted as JSON', async () => {
    const { page, look, complaints, close } = await visit()
    await page.goto('/projects/new')
    await page.getByLabel('Name', { exact: true }).fill('Bodies')
    await page.getByRole('button', { name: 'Edit as JSON' }).click()
    await page.getByLabel('Labels as JSON').fill('{"name":"body"}')
    await page.getByText('Labels are a list of objects').waitFor()
    const sublabels = [{ name: 'head', type: 'points' }]
    const json = JSON.stringify([{ name: 'body', type: 'skeleton', sublabels }], null, 2)
    await page.getByLabel('Labels as JSON').fill(json)
    await look('new-project-json')
    await page.getByRole('button', { name: 'Edit as a list' }).click()
    await page.getByRole('button', { name: 'Create the project' }).click()
    await page.getByRole('heading', { name: 'Bodies' }).waitFor()
    await page.getByText('skeleton').waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  test('a project is renamed, moves to the next status and back, gets other labels and is deleted', async () => {
    const project = await projectWith('car')
    const { page, look, complaints, close } = await visit()
    await page.goto(`/projects/${project.id}`)
    await page.getByRole('button', { name: 'Rename' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Roads')
    await look('project-rename')
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('heading', { name: 'Roads' }).waitFor()

    const status = page.getByLabel('Status of the project')
    await status.selectOption('completed')
    const notice = page.getByText('The status is completed now.')
    await notice.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => status.inputValue()).toBe('annotation')

    await page.getByLabel('Add labels').fill('bus')
    await page.getByLabel('Add labels').press('Enter')
    await page.getByRole('button', { name: 'bus' }).click()
    await dialog.getByLabel('Name of bus').fill('tram')
    await look('label')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'tram', exact: true }).click()
    await dialog.getByRole('button', { name: 'Remove the label' }).click()
    await dialog.getByLabel('Type “tram” to confirm').fill('tram')
    await look('label-remove')
    await dialog.getByRole('button', { name: 'Remove the label' }).click()
    await expect.poll(() => page.getByRole('button', { name: 'tram' }).count()).toBe(0)

    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByLabel('Type “Roads” to confirm').fill('Roads')
    await dialog.getByRole('button', { name: 'Delete the project' }).click()
    await page.getByText('Roads was deleted.').waitFor()
    const deleted = await reticle.admin.call('GET', `/projects/${project.id}`)
    expect(deleted.status).toBe(404)
    expect(complaints).toEqual([])
    await close()
  })

  test('filters, search and order of a list are kept in the address', async () => {
    const project = await projectWith('car')
    const task = await taskWithMedia(reticle.admin, { project_id: project.id, segment_size: 2 })
    const { page, look, complaints, close } = await visit()
    await page.goto('/tasks')
    await page.getByLabel('Project').fill('Streets')
    await page.waitForURL(/project_name=Streets/)
    await page.getByRole('button', { name: 'Updated' }).click()
    await page.waitForURL(/sort=updated_date/)
    await page.reload()
    const table = page.getByRole('table', { name: 'Tasks' })
    await table.getByRole('link', { name: 'a task' }).waitFor()
    expect(await table.getByRole('row').count()).toBe(2)
    await look('tasks')

    await page.goto(`/jobs?task_id=${task.id}&state=new`)
    await page.getByText('2 in all').waitFor()
    await look('jobs')
    await page.getByLabel('State').selectOption('rejected')
    await page.getByText('No matches').waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.getByRole('table', { name: 'Jobs' }).waitFor()
    expect(page.url()).toMatch(/\/jobs$/)
    expect(complaints).toEqual([])
    await close()
  })

  test('the upload of a large file resumes after a broken connection, and after the page was closed', async () => {
    const { page, look, complaints, close } = await visit()
    const file = fileOf('large.bmp', createBitmap(3000, 2400)) // 21.6 MB: three chunks
    const pieces: string[] = []
    let behaviour: 'break' | 'hang' | 'pass' = 'break'
    await page.route('**/api/tasks/*/data/*', async (route) => {
      const offset = route.request().headers()['upload-offset'] ?? ''
      if (route.request().method() !== 'PATCH') return route.continue()
      if (behaviour === 'pass') pieces.push(offset)
      if (behaviour === 'pass' || offset === '0') return route.continue()
      if (behaviour === 'hang') return
      behaviour = 'hang' // the chunk is sent again and waits
      return route.abort('connectionreset')
    })
    await page.goto('/tasks/new')
    await drop(page, file)
    await page.getByText('one file, 21.6 MB').waitFor()
    await page.getByRole('button', { name: 'Create the task' }).click()
    await page.getByText('8.4 MB of 21.6 MB').waitFor()
    await expect.poll(() => behaviour).toBe('hang')
    await look('task-sending')

    const questions: string[] = []
    page.on('dialog', (dialog) => {
      questions.push(dialog.type())
      void dialog.accept()
    })
    const { results } = await reticle.admin.done('GET', '/tasks?name=large')
    const [{ id }] = results
    await page.goto(`/tasks/new?task=${id}`)
    expect(questions).toEqual(['beforeunload'])
    behaviour = 'pass'
    await drop(page, file)
    await page.getByRole('button', { name: 'Upload the files' }).click()
    await page.waitForURL(`**/tasks/${id}`)
    expect(pieces).toEqual(['8388608', '16777216']) // the first chunk was stored already
    expect((await reticle.admin.done('GET', `/tasks/${id}`)).size).toBe(1)
    const notes = await page.evaluate<number>(
      'Object.keys(localStorage).filter((key) => key.startsWith("reticle.upload")).length',
    )
    expect(notes).toBe(0)
    expect(complaints.filter((text) => !text.includes('ERR_CONNECTION_RESET'))).toEqual([])
    await close()
  })

  test('a file that is not an image is refused with a message, and the empty task can be deleted', async () => {
    const { page, look, complaints, close } = await visit()
    await page.goto('/tasks/new')
    await page.getByRole('button', { name: 'Create the task' }).click()
    await drop(page, fileOf('notes.txt', new TextEncoder().encode('no picture')))
    await page.getByText('one file').waitFor()
    await page.getByRole('button', { name: 'Create the task' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await look('task-failed')
    await page.getByRole('button', { name: 'Delete the empty task' }).click()
    await page.getByText('The empty task was deleted').waitFor()
    expect(await reticle.admin.done('GET', '/tasks?name=notes')).toMatchObject({ count: 0 })
    expect(complaints.filter((text) => !text.includes('400'))).toEqual([])
    await close()
  })

  test('uploading thousands of files does not freeze the page, and can be cancelled', async () => {
    const { page, complaints, close } = await visit()
    await page.addInitScript(`
      window.longest = 0
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration)
      }).observe({ entryTypes: ['longtask'] })`)
    const [one] = await createImages(1)
    const bytes = one?.bytes ?? new Uint8Array()
    const names = Array.from({ length: 2000 }, (_, index) => `${index}.png`)
    const folder = folderOf(
      'many',
      names.map((name) => ({ name, bytes })),
    )
    await page.route(/\/api\/tasks\/\d+\/data/, (route) => {
      if ('upload-finish' in route.request().headers()) return // prevents that frames are prepared too early
      return route.continue()
    })
    await page.goto('/tasks/new')
    await page.getByText('Drop a folder or files here').waitFor()
    await page.evaluate('window.longest = 0')
    await drop(page, folder)
    await page.getByText('2,000 files').waitFor({ timeout: 60_000 })
    await page.getByRole('button', { name: 'Create the task' }).click()
    await page.getByText(/^([\d.]+ .?B) of \1$/).waitFor({ timeout: 60_000 })
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Cancelled.').waitFor()
    await page.getByRole('button', { name: 'Delete the empty task' }).click()
    await page.getByText('The empty task was deleted').waitFor()
    const longest = await page.evaluate<number>('window.longest')
    expect(longest).toBeLessThan(1000) // milliseconds, on a machine with other work
    expect(complaints).toEqual([])
    await close()
  }, 180_000)

  test('the pages of work fit a narrow window and dark colours', async () => {
    const project = await projectWith('car', 'bus')
    await taskWithMedia(reticle.admin, { project_id: project.id })
    const options = { width: 360, height: 740, colorScheme: 'dark' } as const
    const { page, look, complaints, close } = await visit(options)
    const places = { project: `/projects/${project.id}`, tasks: '/tasks', jobs: '/jobs' }
    const more = { projects: '/projects', 'new-project': '/projects/new' }
    for (const [name, path] of Object.entries({ ...places, ...more })) {
      await page.goto(path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.getByText('Loading').waitFor({ state: 'detached' })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
      await look(`${name}-narrow-dark`)
    }
    await page.goto(`/tasks/new?project=${project.id}`)
    await page.getByLabel('Project').waitFor()
    await page.getByText('Options').click()
    await look('new-task-narrow-dark')
    expect(complaints).toEqual([])
    await close()
  })

  test('a long list is loaded only as far as it is scrolled to', async () => {
    await addTasks(reticle, 350)
    const { page, look, complaints, close } = await visit()
    const requested: (string | null)[] = []
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname === '/api/tasks') requested.push(searchParams.get('page'))
    })
    await page.goto('/tasks?search=lot&sort=id')
    await page.getByText('350 in all').waitFor()
    await page.getByRole('link', { name: 'lot 0', exact: true }).waitFor()
    expect(requested).toEqual(['1'])
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await page.getByRole('link', { name: 'lot 349', exact: true }).waitFor()
    expect(requested).toEqual(['1', '4'])
    expect(await page.getByRole('row').count()).toBeLessThan(60)
    await look('tasks-end')
    expect(complaints).toEqual([])
    await close()
  }, 120_000)
})

/** Drops a file or folder of the disk on the page, as a person does. */
async function drop(page: Page, ...files: string[]): Promise<void> {
  const zone = await page.getByRole('region', { name: 'Files' }).boundingBox()
  if (!zone) throw new Error('there is no drop zone')
  const [x, y] = [zone.x + zone.width / 2, zone.y + 20]
  const data = { items: [], files, dragOperationsMask: 1 }
  const devtools = await page.context().newCDPSession(page)
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', { type, x, y, data })
}

/** Uses a token, because a password would be hashed at each call. */
async function addTasks({ url, admin }: ServerUnderTest, count: number): Promise<void> {
  const json = { name: 'many', read_only: false }
  const { value } = await admin.done('POST', '/auth/access_tokens', { json })
  const script = createApiClient(`${url}/api`, `Bearer ${value}`)
  const add = (number: number) => script.done('POST', '/tasks', { json: { name: `lot ${number}` } })
  await add(0)
  const middle = Array.from({ length: count - 2 }, (_, index) => index + 1).values()
  const worker = async () => {
    for (const number of middle) await add(number)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  await add(count - 1)
}
