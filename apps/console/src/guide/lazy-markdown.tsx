import { lazy, Suspense } from 'react'
import { Loading } from '../ui/loading.tsx'

/** Its parser is fetched when there is something to parse. */
const Markdown = lazy(() =>
  import('./markdown.tsx').then((module) => ({ default: module.Markdown })),
)

export function LazyMarkdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<Loading />}>
      <Markdown text={text} />
    </Suspense>
  )
}
