import { describe, expect, test } from 'vitest'
import { executablePath, visitsOf } from '../../support/browser.ts'
import { password } from '../../support/reticle.ts'
import { served } from '../../support/served.ts'

describe.skipIf(!executablePath)('the console', () => {
  const reticle = served()
  const visit = visitsOf(reticle)

  test('asks who is there, and comes to the page of the address', async () => {
    const { page, look, complaints, close } = await visit({ as: null })
    await page.goto('/projects')
    await page.getByLabel('Username').fill('admin')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await look('sign-in')

    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('There is no project here').waitFor()
    await look('projects-empty')
    // the browser itself tells of refused calls: who is there, and the wrong password
    expect(complaints.filter((text) => !text.includes('40'))).toEqual([])

    await page.getByText('admin').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Username').waitFor()
    await close()
  })
})
