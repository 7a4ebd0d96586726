import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

/**
 * Writes the licences of all bundled third-party packages into one text file. The document links to it (`<link
 * rel="license">`), and the server page shows it.
 */
export function createLicencesPlugin(): Plugin {
  let fileName = ''
  return {
    name: 'licences',
    apply: 'build',
    generateBundle: {
      order: 'pre', // before the document is written, which links to the file
      handler(_options, bundle) {
        const modules = Object.values(bundle).flatMap((output) =>
          output.type === 'chunk' ? output.moduleIds : [],
        )
        const folders = new Set(modules.filter((id) => id.includes('/node_modules/')).map(folderOf))
        const source = [...folders]
          .sort()
          .map(licenceOf)
          .join(`\n${'-'.repeat(80)}\n\n`)
        fileName = this.getFileName(this.emitFile({ type: 'asset', name: 'licences.txt', source }))
      },
    },
    transformIndexHtml: {
      order: 'post',
      handler: () => [
        { tag: 'link', attrs: { rel: 'license', href: `/${fileName}` }, injectTo: 'head' },
      ],
    },
  }
}

/** Returns the folder of the package that a module belongs to. */
function folderOf(id: string): string {
  const found = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replace(/^\0/, ''))
  if (!found) throw new Error(`${id} does not belong to a package`)
  return found[0]
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying|unlicense)/i.test(entry))
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  return `${name} ${version}: ${license}\n${text}`
}
