use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, VariantAccess, Visitor};

use super::error::DecodeError;
use super::node_reader::{NodePath, NodeReader};
use crate::{Node, NodeData};

/// A variant of an enum. It is written as a string, or as a map with one key that contains the content of the variant.
pub(super) struct VariantReader<'de, 't> {
    pub(super) reader: NodeReader<'de, 't>,
    pub(super) name: &'de str,
    pub(super) content: Option<&'de Node>,
}

impl<'de> VariantReader<'de, '_> {
    fn content<T>(
        self,
        read: impl for<'u> FnOnce(NodeReader<'de, 'u>) -> Result<T, DecodeError>,
    ) -> Result<T, DecodeError> {
        let Some(content) = self.content else {
            let (node, name) = (self.reader.node, self.name);
            let help = format!("write `{name}: …`");
            return Err(self.reader.report(node.span, format!("`{name}` needs a value"), Some(help)));
        };
        let path = NodePath::Key(self.reader.path, self.name);
        let reader = self.reader.child(content, &path);
        reader.report_here(read(reader))
    }
}

impl<'de> EnumAccess<'de> for VariantReader<'de, '_> {
    type Error = DecodeError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), DecodeError> {
        let variant = seed.deserialize(BorrowedStrDeserializer::<DecodeError>::new(self.name))?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for VariantReader<'de, '_> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<(), DecodeError> {
        match self.content {
            None | Some(Node { data: NodeData::Null, .. }) => Ok(()),
            Some(content) => {
                let (message, help) =
                    (format!("`{}` takes no value", self.name), format!("write `{}` alone", self.name));
                Err(self.reader.report(content.span, message, Some(help)))
            }
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, DecodeError> {
        self.content(|reader| seed.deserialize(reader))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, DecodeError> {
        self.content(|reader| reader.deserialize_tuple(len, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.content(|reader| reader.fields(fields, visitor))
    }
}
