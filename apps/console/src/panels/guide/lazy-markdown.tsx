import { lazy, Suspense } from 'react'
import { Loading } from '../../ui/loading.tsx'

/** Loads the markdown parser on first use. */
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
