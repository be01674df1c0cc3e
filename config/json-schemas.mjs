/**
 * Makes the JSON Schemas (draft-07) of `--output json` from the exported types of agent/view/json, one for each type whose name ends
 * in Document: `OverlayPlanDocument` becomes overlay-plan.schema.json. Every build writes them to dist/json.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';

export const documentFolder = new URL('../agent/view/json/', import.meta.url);

/** Facts for support that `--verbose` adds to a document. */
const diagnostics = {
  description: 'Facts for support, with --verbose. Their shape may change with every release.',
  type: 'object',
};

/** Schemas of the types of TypeScript that need no parameter. */
const keywords = {
  TSStringKeyword: { type: 'string' },
  TSNumberKeyword: { type: 'number' },
  TSBooleanKeyword: { type: 'boolean' },
  TSNullKeyword: { type: 'null' },
  TSUnknownKeyword: {},
};

/** Returns every schema by the name of its file. Throws if a type has a form that JSON Schema cannot express. */
export function jsonSchemas() {
  const types = declaredTypes();
  return Object.fromEntries(documentTypes(types).map(({ name }) => [fileName(name), schemaOf(name, types)]));
}

/** Returns the name of the type of each document, and the file that declares it. */
export function documentTypes(types = declaredTypes()) {
  return [...types]
    .filter(([name]) => name.endsWith('Document') && !unions.has(name))
    .map(([name, { file }]) => ({ name, file }));
}

/** Types of functions and of lists of documents, which are not printed themselves. */
const unions = new Set(['JsonDocument', 'RunDocument', 'PreviewDocument']);

function fileName(type) {
  const words = type.replace(/Document$/, '').split(/(?=[A-Z])/);
  return `${words.map((word) => word.toLowerCase()).join('-')}.schema.json`;
}

/** Returns the declarations of all exported types by their name, each with its comment. */
function declaredTypes() {
  const types = new Map();
  for (const name of readdirSync(documentFolder)
    .filter((file) => file.endsWith('.ts') && !file.includes('.generated.'))
    .toSorted()) {
    const text = readFileSync(new URL(name, documentFolder), 'utf8');
    const { program, comments, errors } = parseSync(name, text);
    if (errors.length > 0) throw new Error(`${name}: ${errors[0].message}`);
    const describe = (start) => commentBefore(start, text, comments);
    for (const { type, declaration, start } of program.body) {
      if (type !== 'ExportNamedDeclaration' || !/^TS(Interface|TypeAlias)Declaration$/.test(declaration?.type))
        continue;
      if (types.has(declaration.id.name)) throw new Error(`${declaration.id.name} is declared twice`);
      types.set(declaration.id.name, { declaration, description: describe(start), describe, file: name });
    }
  }
  return types;
}

/** Returns the text of the comment that ends directly before a position; undefined without one. */
function commentBefore(start, text, comments) {
  const found = comments.findLast(
    ({ end, value }) => end <= start && value.startsWith('*') && text.slice(end, start).trim() === '',
  );
  return found?.value
    .split('\n')
    .map((line) => line.replace(/^\s*\*+\s?/, '').trim())
    .join(' ')
    .trim();
}

/** Returns the schema of a document, with a definition of each type that it uses. */
function schemaOf(name, types) {
  const used = new Map();
  const context = { types, used };
  const { declaration, description } = types.get(name);
  const body = bodyOf(declaration, context);
  const parts = body.anyOf?.map(({ $ref }) => used.get($ref.replace('#/definitions/', ''))) ?? [body];
  for (const part of parts) part.properties = { ...part.properties, diagnostics };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: `https://microshift-net.example/json/${fileName(name)}`,
    title: name.replace(/Document$/, ''),
    description,
    ...body,
    definitions: Object.fromEntries([...used].toSorted(([one], [two]) => (one < two ? -1 : 1))),
  };
}

function bodyOf(declaration, context) {
  return declaration.type === 'TSInterfaceDeclaration'
    ? objectSchema(declaration, context)
    : typeSchema(declaration.typeAnnotation, context);
}

/** Returns the schema of an interface, with the properties of the interfaces that it extends. */
function objectSchema(declaration, context) {
  const properties = propertiesOf(declaration.id.name, context);
  return {
    type: 'object',
    properties: Object.fromEntries(properties.map(({ key, schema }) => [key, schema])),
    required: properties.filter(({ isOptional }) => !isOptional).map(({ key }) => key),
    additionalProperties: false,
  };
}

function propertiesOf(name, context) {
  const { declaration, describe } = context.types.get(name) ?? unknownType(name);
  const inherited = declaration.extends.flatMap(({ expression }) => propertiesOf(expression.name, context));
  const own = declaration.body.body.map(({ key, optional, typeAnnotation, start }) => {
    const description = describe(start);
    const schema = typeSchema(typeAnnotation.typeAnnotation, context);
    // The reference is put into `allOf`, because draft-07 ignores every keyword beside a $ref.
    const described =
      description === undefined
        ? schema
        : '$ref' in schema
          ? { description, allOf: [schema] }
          : { description, ...schema };
    return { key: key.name, isOptional: optional, schema: described };
  });
  return [...own.filter(({ key }) => key === 'command'), ...inherited, ...own.filter(({ key }) => key !== 'command')];
}

function typeSchema(node, context) {
  switch (node.type) {
    case 'TSLiteralType':
      return { const: node.literal.value };
    case 'TSTypeOperator':
      return typeSchema(node.typeAnnotation, context);
    case 'TSParenthesizedType':
      return typeSchema(node.typeAnnotation, context);
    case 'TSArrayType':
      return { type: 'array', items: typeSchema(node.elementType, context) };
    case 'TSUnionType':
      return unionSchema(node.types, context);
    case 'TSTypeReference':
      return referenceSchema(node, context);
    default: {
      const schema = keywords[node.type];
      if (schema === undefined) throw new Error(`${node.type} has no JSON Schema`);
      return { ...schema };
    }
  }
}

function unionSchema(nodes, context) {
  const schemas = nodes.map((node) => typeSchema(node, context));
  if (schemas.every((schema) => 'const' in schema)) return { enum: schemas.map((schema) => schema.const) };
  const isPlain = schemas.every((schema) => Object.keys(schema).join() === 'type');
  return isPlain ? { type: schemas.map(({ type }) => type) } : { anyOf: schemas };
}

function referenceSchema({ typeName, typeArguments }, context) {
  const [first, second] = typeArguments?.params ?? [];
  if (typeName.name === 'Readonly') return typeSchema(first, context);
  if (typeName.name === 'Record') return { type: 'object', additionalProperties: typeSchema(second, context) };
  const { name } = typeName;
  if (!context.used.has(name)) {
    const { declaration, description } = context.types.get(name) ?? unknownType(name);
    context.used.set(name, {});
    Object.assign(context.used.get(name), { description, ...bodyOf(declaration, context) });
  }
  return { $ref: `#/definitions/${name}` };
}

function unknownType(name) {
  throw new Error(`${name} is not declared in agent/view/json, so that a change elsewhere could change the contract`);
}
