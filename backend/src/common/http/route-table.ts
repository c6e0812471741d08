/** A segment of a route is a text, `:name`, or `:name(pattern)`. */
function isMatch(segment: string, given: string): boolean {
  if (!segment.startsWith(':')) return segment === given;
  const pattern = /\((.*)\)$/.exec(segment)?.[1];
  return pattern === undefined ? given !== '' : new RegExp(`^(?:${pattern})$`).test(given);
}

/** The routes that exist, to tell a wrong method (405) from an unknown path (404). */
export class RouteTable {
  private readonly routes = new Map<string, { readonly segments: readonly string[]; readonly methods: Set<string> }>();

  /** @param url with `:name` or `:name(pattern)` for parameters */
  add(methods: readonly string[], url: string): void {
    const known = this.routes.get(url) ?? { segments: url.split('/'), methods: new Set<string>() };
    for (const method of methods) known.methods.add(method);
    this.routes.set(url, known);
  }

  /** The methods of a path, sorted; none when no route has it. */
  methodsOf(path: string): readonly string[] {
    const given = path.split('/');
    const methods = [...this.routes.values()]
      .filter(
        ({ segments }) =>
          segments.length === given.length && segments.every((segment, at) => isMatch(segment, given[at] ?? '')),
      )
      .flatMap((route) => [...route.methods]);
    return [...new Set(methods)].sort();
  }
}
